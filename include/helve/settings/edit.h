// Settings for edits: the member `edit` of Settings (helve/settings.h).
#pragma once

#include <array>
#include <string_view>

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// The line endings of new files.
enum class NewLineEndings { kLf, kCrLf };
constexpr auto enum_names(NewLineEndings) { return std::to_array<std::string_view>({"lf", "crlf"}); }

// How edits match, and how new files are written.
struct EditSettings {
  bool loose_matches = false;
  NewLineEndings line_endings = NewLineEndings::kLf;

  void describe(ParamSpec& p) {
    p.optional(
        "loose_matches", loose_matches,
        "Accept a single match that differs only in white space or typographic characters, and report it.");
    p.optional("line_endings", line_endings,
               "Line endings of new files, unless .editorconfig or .gitattributes says otherwise.");
  }
};

}  // namespace helve
