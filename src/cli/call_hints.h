// Rewrites the hints of tools, which are written for models, for a user at the shell.
#pragma once

#include <string>

#include "cli/call.h"
#include "helve/error.h"
#include "helve/runtime_class.h"
#include "helve/tool.h"

namespace helve::cli {

// For one call. Create it before the call, which moves the arguments away. The tool must outlive it.
class CallHints {
 public:
  CallHints(const ToolDefinition& tool, const Json& arguments, CallForm form);

  // Names flags instead of parameters, and recognises a file name passed as text or a number passed as a
  // path.
  void reword(Error& error) const;

  // For undo and history without changes: a hint if a parent directory has some. Otherwise empty.
  [[nodiscard]] std::string parent_directory_hint(const Result& result, const Runtime& runtime) const;

 private:
  const ToolDefinition& tool_;
  const CallForm form_;
  const std::string on_arguments_;
  const std::string explain_;  // the helve explain command for this call
};

}  // namespace helve::cli
