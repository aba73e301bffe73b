// The files that a call of a file tool is about.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"
#include "policy/path_spec.h"

namespace helve::policy {

struct CallPaths {
  std::vector<std::string> paths = {};  // as written, relative to the workspace or absolute
  PathSpec::Extent extent = PathSpec::Extent::kItself;
  bool complete = true;  // false: the call may touch files that its arguments do not name
};

[[nodiscard]] CallPaths paths_of_call(std::string_view tool, const Json& arguments);

}  // namespace helve::policy
