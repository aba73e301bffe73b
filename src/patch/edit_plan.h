// Plans an exact replacement, or explains why it is not possible.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "text/span_edit.h"

namespace helve::patch {

struct EditRequest {
  std::string_view old_text;
  std::string_view new_text;
  bool replace_all = false;
  bool first_only = false;      // of several matches
  bool may_take_first = false;  // the caller offers first_only, as allowMultiple
  bool accept_loose = false;    // a single place that differs only in white space or typographic characters
};

struct EditPlan {
  std::vector<text::Replacement> replacements;
  std::size_t matches = 0;
  std::string note = {};  // how a loose match differed; empty for an exact one
};

// `path` is for error messages. Errors:
//   - INVALID_ARGUMENT when old and new text are the same or the old text is empty;
//   - NOT_FOUND, with the closest region, when the old text does not occur;
//   - CONFLICT, with the first places, when it occurs several times; places that overlap count. replace_all
//     replaces from the start of the file, and passes over places that overlap a replaced one.
[[nodiscard]] Expected<EditPlan> plan_edit(std::string_view bytes, const text::TextFormat& format,
                                           const EditRequest& request, std::string_view path);

}  // namespace helve::patch
