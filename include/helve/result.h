// What a tool gives back, and the envelope in which every caller gets it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"

namespace helve {

struct Image {
  std::string mime_type = {};
  std::string bytes = {};  // as in the file, not base64
};

// A tool's success.
struct Output {
  std::string summary = {};  // one line: "Found 3 matches in 2 files"
  std::string content = {};  // what the model reads
  Json data = {};            // the same for programs: an object, or null
  std::vector<std::string> affected_paths = {};
  bool truncated = false;
  std::vector<Image> images = {};
  // The diff in the data shows everything that changes, or would; without a diff, the summary tells it.
  bool diff_is_whole = false;
};

// A tool's success or failure.
using Result = Expected<Output>;

// The envelope: a result and what the way it took adds to it.
struct Answer {
  Result result = {};
  std::string call_id = {};
  std::int64_t execution_time_ms = 0;

  [[nodiscard]] bool ok() const { return result.has_value(); }
  // {"ok", "summary", "content", "data", "meta"} or {"ok", "error", "meta"}.
  [[nodiscard]] Json to_json() const;
};

}  // namespace helve
