#include <stdio.h>
#include "store.h"

#define LIMIT 10
#define MAX(a, b) \
    ((a) > (b) ? (a) : (b))
#define GUARD

/* A node of
 * the list. */
typedef struct node {
    int value, depth;
    struct node *next;
    char name[16];
    int (*compare)(const void *, const void *);
    union { long number; char *text; } data;
} node_t, *node_p;

typedef struct {
    unsigned flags : 3;
} options;

struct point { double x, y; };
union either { int left; float right; };
enum color { RED = 1, GREEN };
typedef enum { ON, OFF } state;
typedef int (*handler)(int, char *);
typedef unsigned long size;
struct forward;

static const char *names[] = {"a", "b"};
int counter, total = 1;
extern struct point origin;
static int (*callback)(int) = NULL;

// Declared here, defined below.
node_t *make(int value, const char *name);

/* Makes a node. */
node_t *make(int value, const char *name)
{
    node_t *made = malloc(sizeof(*made));
    static int calls = 0;
    made->compare(made, callback ? (*callback)(MAX(value, 1)) : 0);
    options.list[0].run(name);
    return made;
}

static inline char **split(char *line, int *count) {
    return 0;
}

#ifdef DEBUG
static int verbose = 1;
void dump(void) { printf("%d\n", counter); }
#else
void dump(void);
#endif

int (*pick(int kind))(int) { return callback; }

int main(argc, argv)
    int argc;
    char *argv[];
{
    return make(argc, argv[0])->value;
}
