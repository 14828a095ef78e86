#ifndef STORE_H
#define STORE_H
struct store { int size; };
int store_put(struct store *s, int item);
#endif
