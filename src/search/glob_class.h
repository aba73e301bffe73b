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
// nullopt: the class is not closed or has an unknown name.
[[nodiscard]] std::optional<ByteSet> parse_git_class(std::string_view pattern, std::size_t& place);

}  // namespace helve::search
