// The result of a tool, and the envelope in which every caller receives it.
//
//   #include <helve/result.h>
//   helve::Result lines_of(int lines) {
//     return helve::Output{.summary = std::to_string(lines) + " lines",
//                          .content = "The file has " + std::to_string(lines) + " lines.\n",
//                          .data = helve::JsonObject{{"lines", lines}}};
//   }
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/error.h"
#include "helve/json.h"

namespace HELVE_API helve {

// An image for a model that can see.
struct Image {
  std::string mime_type = {};  // such as "image/png"
  std::string bytes = {};      // the content of the file, not base64
};

// The result of a call that succeeded. All texts should be UTF-8; invalid bytes become U+FFFD.
struct Output {
  std::string summary = {};  // one line for the user and the log: "Found 3 matches in 2 files"
  std::string content = {};  // what the model reads; a long text goes to a file and the model gets a stub
  Json data = {};            // the same facts for programs: an object, or null
  std::vector<std::string> affected_paths = {};  // what changed, relative to the workspace
  bool truncated = false;                        // the content is not complete
  std::vector<Image> images = {};
  // The result of another MCP server as it was sent: {"content": […], "structuredContent", "_meta"}. MCP
  // clients get it unchanged; the other members say the same for everybody else.
  Json foreign = {};
  // Used when the user is asked: true says that data.diff shows every change, or, without a diff, that the
  // summary does. The approval card then leaves out the arguments.
  bool diff_is_whole = false;
};

// An Output, or the Error that ended the call.
using Result = Expected<Output>;

// The envelope: the result of a call with its id and its time. Runtime::call returns it. A plain value.
struct Answer {
  Result result = {};
  std::string call_id = {};
  std::int64_t execution_time_ms = 0;  // without waiting for approval or for other calls
  std::string tool = {};

  [[nodiscard]] bool ok() const { return result.has_value(); }

  // {"ok": true, "summary", "content", "data", "images", "meta", "tool"} or {"ok": false, "error", "meta",
  // "tool"}, with "meta": {"truncated", "executionTimeMs", "affectedPaths"}. "images" appears only when there
  // are some, with their bytes in base64.
  [[nodiscard]] Json to_json() const;
  // Only what describes the result: {"ok", "summary", "meta", "tool"}. The summary of a failure is its
  // message.
  [[nodiscard]] Json head_json() const;
};

}  // namespace helve
