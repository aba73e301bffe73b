// Options and operands of commands that may destroy something.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::policy {

using FieldSpan = std::span<const std::string>;

[[nodiscard]] bool looks_like_option(std::string_view word);

// A short option among combined letters, or a long one, maybe abbreviated.
[[nodiscard]] bool has_flag(FieldSpan words, std::string_view letters, std::string_view name);

// Values of options with these letters or this name, attached or in the next word.
[[nodiscard]] std::vector<std::string> values_of_flag(FieldSpan words, std::string_view letters,
                                                      std::string_view name);

[[nodiscard]] std::vector<std::string> operands_of(FieldSpan words);

// "delete everything in /etc"
[[nodiscard]] std::string everything_in(std::string_view verb, std::string_view pattern);

}  // namespace helve::policy
