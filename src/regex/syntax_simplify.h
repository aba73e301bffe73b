// Builds a Hir in its simplest form, so that what reads it has fewer cases to think of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regex/hir.h"

namespace helve::regex {

[[nodiscard]] Hir make_literal(std::string bytes);
[[nodiscard]] Hir make_look(Look look);
// One code point: kNothing for no code points, a literal for one.
[[nodiscard]] Hir make_class(CodeSet codes);
// One byte; the codes are bytes. A class of ASCII alone is one of code points.
[[nodiscard]] Hir make_byte_class(const CodeSet& bytes);
[[nodiscard]] Hir make_repeat(Hir child, std::uint32_t min, std::uint32_t max, bool greedy);
// Flat, with neighbouring literals merged.
[[nodiscard]] Hir make_concat(std::vector<Hir> children);
// Flat, with neighbouring alternatives of one character merged into a class: they are equally long, so it
// makes no difference which of them is preferred.
[[nodiscard]] Hir make_alternate(std::vector<Hir> children);

}  // namespace helve::regex
