// The border between Helve and a plugin that is a shared library: C11, and all that such a library has to
// know.
//
// A library exports one function, helve_plugin_open, and is asked for everything else through what that
// returns. Only plain C crosses the border; texts are UTF-8 with their length, JSON inside. Whoever allocated
// a text frees it: what the library gives away comes back to its `release`; what Helve hands in stays valid
// for that one call.
//
// C++ authors include helve/plugin.hpp instead, and write tools as Helve's own are written.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Changes only when old plugins cannot work any more. Members that are added later come last, and `size`
// tells whether they are there.
#define HELVE_PLUGIN_ABI 1u

// Not ended by a NUL.
typedef struct helve_text {
  const char* bytes;
  size_t length;
} helve_text;

// One call, as Helve makes it.
typedef struct helve_call {
  size_t size;           // sizeof this struct, as Helve knows it
  helve_text tool;       // one of those that `describe` names
  helve_text arguments;  // a JSON object that fits the tool's inputSchema
  helve_text workspace;  // the directory that tools work on; the process runs in it
  int32_t dry_run;       // not 0: change nothing, only say what would be done; see dryRuns below
  void* host;            // for the two functions that follow, which may be used from all threads until
                         // `call` returns
  int32_t (*should_stop)(void* host);  // not 0: nobody waits for the result any more. Ask often.
  void (*progress)(void* host, double done, double total, helve_text message);  // total below 0: not known
} helve_call;

// What a library offers. All functions but `close` are called from several threads at once.
typedef struct helve_plugin {
  uint32_t abi;   // HELVE_PLUGIN_ABI
  uint32_t size;  // sizeof this struct, as the library knows it

  // {"name": …, "version": …, "tools": [{"name", "description", "effect", "inputSchema"}]}, and for a tool,
  // if it likes: "title", "destructive", "idempotent", and "dryRuns": true when it looks at dry_run. The
  // effect is read, write, execute or network; what counts is the manifest's.
  helve_text (*describe)(void);

  // {"summary", "content", "data", "affectedPaths", "truncated"}, each optional, or
  // {"error": {"code", "message", "hint"}} with a code such as NOT_FOUND or EXECUTION_FAILED.
  helve_text (*call)(const helve_call* call);

  // Frees what the two functions above returned.
  void (*release)(helve_text text);

  // Called once before the library is unloaded, when no call is under way; may be null.
  void (*close)(void);
} helve_plugin;

#if defined(__GNUC__)
#define HELVE_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define HELVE_PLUGIN_EXPORT
#endif

// The one symbol that a library exports. `abi` is Helve's; null when the library cannot work with it. What is
// returned stays valid as long as the library is loaded.
HELVE_PLUGIN_EXPORT const helve_plugin* helve_plugin_open(uint32_t abi);

#ifdef __cplusplus
}
#endif
