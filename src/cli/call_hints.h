// What a tool's hint, which is written for a model, says to a person at the shell.
#pragma once

#include <string>

#include "cli/call.h"
#include "helve/error.h"
#include "helve/runtime.h"
#include "helve/tool.h"

namespace helve::cli {

// For one call; made before it, as the call takes its arguments along. The tool must outlive it.
class CallHints {
 public:
  CallHints(const ToolDefinition& tool, const Json& arguments, CallForm form);

  // A person is the user whom a model would ask; types flags in place of parameters; and may have given a
  // file as a text, or a number of changes as a path.
  void reword(Error& error) const;

  // For undo and history where nothing is known: that a folder above has changes, and how to get at them.
  // Empty when there is nothing to say.
  [[nodiscard]] std::string on_folder_above(const Result& result, const Runtime& runtime) const;

 private:
  const ToolDefinition& tool_;
  const CallForm form_;
  const std::string on_arguments_;
  const std::string explain_;  // how to ask what decides about the call
};

}  // namespace helve::cli
