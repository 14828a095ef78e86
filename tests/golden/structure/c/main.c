#include "store.h"

static int check(int item)
{
    return item;
}

int main(void)
{
    struct store s;
    store_put(&s, check(1));
    return 0;
}
