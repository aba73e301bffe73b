// The C11 interface between Helve and a plugin that is a shared library.
//
// A library exports one function, helve_plugin_open. Helve uses everything else through the struct that it
// returns. In C++, include helve/plugin.hpp instead and write tools as structs.
//
//   #include <helve/plugin.h>
//   #include <string.h>
//   static helve_text text(const char* bytes) {
//     helve_text result = {bytes, strlen(bytes)};
//     return result;
//   }
//   static helve_text describe(void) {
//     return text(
//         "{\"name\":\"hello\",\"version\":\"1.0.0\",\"tools\":[{\"name\":\"hello\",\"effect\":\"read\","
//         "\"description\":\"Say hello.\",\"inputSchema\":{\"type\":\"object\"}}]}");
//   }
//   static helve_text call(const helve_call* call) {
//     (void)call;
//     return text("{\"summary\":\"Hello\"}");
//   }
//   static void release(helve_text text) { (void)text; }  // static texts need no free()
//   const helve_plugin* helve_plugin_open(uint32_t abi) {
//     static const helve_plugin plugin = {HELVE_PLUGIN_ABI, sizeof plugin, describe, call, release, 0};
//     return abi == HELVE_PLUGIN_ABI ? &plugin : 0;
//   }
//
// Ownership: the side that allocated a text frees it. Helve passes each text that the library returned to
// `release`, once. Texts that Helve passes in are valid until that function returns.
//
// Threads: all functions of the library except `close` may be called from several threads at once.
//
// Errors: `call` returns them as JSON. Exceptions must not leave a function of the library.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of this interface. It changes only when old plugins can no longer work. New members are added
// at the end of a struct; `size` tells whether they are present.
#define HELVE_PLUGIN_ABI 1u

// UTF-8 text with its length. It does not end with a NUL.
typedef struct helve_text {
  const char* bytes;
  size_t length;
} helve_text;

// One call. The struct and its texts are valid until `call` returns.
typedef struct helve_call {
  size_t size;           // sizeof(helve_call) in Helve
  helve_text tool;       // the name of one of the tools in `describe`
  helve_text arguments;  // a JSON object that is valid for the tool's inputSchema
  helve_text workspace;  // the directory that tools work in; also the working directory of the process
  int32_t dry_run;       // not 0: change nothing, and report what would be done; see dryRuns below
  void* host;            // pass it to the two functions below
  // Both functions may be used from all threads until `call` returns.
  int32_t (*should_stop)(void* host);  // not 0: the call was cancelled or timed out. Check it often.
  void (*progress)(void* host, double done, double total, helve_text message);  // total < 0: not known
} helve_call;

// The functions of a library. See above for ownership and threads.
typedef struct helve_plugin {
  uint32_t abi;   // HELVE_PLUGIN_ABI
  uint32_t size;  // sizeof(helve_plugin) in the library

  // Returns {"name", "version", "tools": [{"name", "description", "effect", "inputSchema"}]} as JSON. A tool
  // may also have "title", "destructive", "idempotent", and "dryRuns": true if it honours dry_run. The effect
  // is read, write, execute or network; permissions use the effect in the plugin's manifest.
  helve_text (*describe)(void);

  // Runs a tool and returns JSON: {"summary", "content", "data", "affectedPaths", "truncated"}, or an error:
  // {"error": {"code", "message", "hint"}} with a code of helve/error.h, such as NOT_FOUND. All members are
  // optional.
  helve_text (*call)(const helve_call* call);

  // Frees a text that one of the two functions above returned.
  void (*release)(helve_text text);

  // Called once before the library is unloaded, when no call runs. May be null.
  void (*close)(void);
} helve_plugin;

#if defined(__GNUC__)
#define HELVE_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define HELVE_PLUGIN_EXPORT
#endif

// The only symbol that a library exports. `abi` is Helve's HELVE_PLUGIN_ABI. Return null if the library
// cannot work with it. The returned struct must stay valid as long as the library is loaded.
HELVE_PLUGIN_EXPORT const helve_plugin* helve_plugin_open(uint32_t abi);

#ifdef __cplusplus
}
#endif
