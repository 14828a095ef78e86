#include "store.hpp"

using shop::Store;

static void run(Store &store, auto *other)
{
    store.put("a");
    other->put("b");
    shop::helper(1);
}

int main()
{
    Store store("x");
    store.put("c");
    Store::open("y").put("d");
    run(store, nullptr);
}
