#include <stdio.h>
#include "x.h"
#define MAX 5
#define SQ(x) ((x)*(x))
typedef struct { int a, b; char *name; } Point;
typedef struct node { struct node *next; } node_t;
struct fwd;
enum color { RED, GREEN = 2 };
static const char *names[] = {"a"};
extern int counter;
int (*callback)(int);
/* Adds.
 * Two numbers. */
static int
add(int a, int b, ...)
{
  int local = 1;
  if (a && b) return a ? 1 : 2;
  return a + b;
}
char *dup(const char *s);
void none(void) { struct inner { int z; } q; }
union U { int i; float f; };
