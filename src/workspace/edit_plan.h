// Decides what an exact replacement changes, or explains to whoever asked for it why it cannot be done.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/span_edit.h"

namespace helve {

struct EditRequest {
  std::string_view old_text;
  std::string_view new_text;
  bool replace_all = false;
  bool first_only = false;    // of several matches
  bool accept_loose = false;  // a single place that differs in white space or typographic characters only
};

struct EditPlan {
  std::vector<Replacement> replacements;
  std::size_t matches = 0;
  std::string note = {};  // how a loose match differed; empty for an exact one
};

// `path` is for the errors: INVALID_ARGUMENT when old and new text are the same or the old one is empty,
// NOT_FOUND with the closest region when it is not there, CONFLICT with the first places when it is there
// several times.
[[nodiscard]] Expected<EditPlan> plan_edit(std::string_view bytes, const TextFormat& format,
                                           const EditRequest& request, std::string_view path);

}  // namespace helve
