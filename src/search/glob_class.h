// Sets of bytes that a character class of a glob stands for.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "search/byte_set.h"

namespace helve::search {

// The bytes of `[:name:]`, as git understands it; nullopt for an unknown name.
[[nodiscard]] std::optional<ByteSet> named_class(std::string_view name);

// Parses a class as git does. `place` is after the opening bracket, and is moved after the closing one.
// nullopt: the class is not closed or has an unknown name. With `ignore_case`, it is for text in lower case:
// ranges and names then stand for the letters of either case, but single upper-case letters match nothing.
[[nodiscard]] std::optional<ByteSet> parse_git_class(std::string_view pattern, std::size_t& place,
                                                     bool ignore_case = false);

}  // namespace helve::search
