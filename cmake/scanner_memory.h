// Read before each grammar's scanner.c, so that it takes its memory where tree-sitter does: what a parse has
// taken can be given back as a whole then, when it is stopped in the middle (src/base/bounded_parse.cc).
#pragma once

#include <stdlib.h>

extern void* (*ts_current_malloc)(size_t size);
extern void* (*ts_current_calloc)(size_t count, size_t size);
extern void* (*ts_current_realloc)(void* memory, size_t size);
extern void (*ts_current_free)(void* memory);

#define malloc ts_current_malloc
#define calloc ts_current_calloc
#define realloc ts_current_realloc
#define free ts_current_free
