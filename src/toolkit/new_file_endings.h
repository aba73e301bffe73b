// The line endings of files that tools create.
#pragma once

#include <string>
#include <string_view>

#include "helve/context.h"
#include "text/text_lines.h"

namespace helve::toolkit {

struct NewFileEnding {
  text::LineEnding ending = text::LineEnding::kLf;
  std::string source;  // ".editorconfig", "src/.gitattributes", "the setting edit.line_endings"
};

// `end_of_line` of the .editorconfig files above the path, or else `eol` of the .gitattributes files, or else
// the setting. Files of the workspace only; one that cannot be read counts as missing.
[[nodiscard]] NewFileEnding ending_for_new_file(const Context& context, std::string_view path);

// The text with these line endings; text that has a carriage return already stays as it is.
[[nodiscard]] std::string with_new_file_endings(const Context& context, std::string_view path,
                                                std::string text);

}  // namespace helve::toolkit
