/* Libraries that are not what they should be, each in its own way; which one is chosen when it is compiled.
 */
#include <helve/plugin.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef DESCRIPTION
#define DESCRIPTION                                                            \
  "{\"name\": \"bad\", \"version\": \"1.0.0\", \"tools\": [{\"name\": \"" TOOL \
  "\", "                                                                       \
  "\"description\": \"Does no good.\", \"effect\": \"read\", \"inputSchema\": {\"type\": \"object\"}}]}"
#endif
#ifndef TOOL
#define TOOL "bad_tool"
#endif
#ifndef ABI
#define ABI HELVE_PLUGIN_ABI
#endif

static helve_text text_of(const char* words) {
  const helve_text text = {words, strlen(words)};
  return text;
}

static helve_text describe(void) { return text_of(DESCRIPTION); }

static helve_text call(const helve_call* made) {
  (void)made;
#ifdef FLOOD
  /* A gigabyte that costs nothing until somebody reads it. */
  const size_t length = (size_t)1 << 30;
  const helve_text text = {mmap(NULL, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
                           length};
  return text;
#else
  return text_of("[1, 2");
#endif
}

static void release(helve_text text) { (void)text; }

#ifdef CRASH_IN_LOAD
__attribute__((constructor)) static void crash(void) { abort(); }
#endif
#ifdef HANG_IN_LOAD
__attribute__((constructor)) static void hang(void) {
  for (;;) pause();
}
#endif

#ifndef NO_SYMBOL
HELVE_PLUGIN_EXPORT const helve_plugin* helve_plugin_open(uint32_t abi) {
  static const helve_plugin plugin = {ABI, sizeof(helve_plugin), describe, call, release, NULL};
#ifdef REFUSE
  return NULL;
#endif
  return abi == 0 ? NULL : &plugin;
}
#else
int helve_plugin_of_another_name(void) { return describe().length + call(NULL).length != 0 && release; }
#endif
