#include "regex/hir.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/utf8.h"

namespace helve::regex {
namespace {

bool matches_only_empty_text(const Hir& hir) {
  switch (hir.kind) {
    case Hir::Kind::kEmpty:
    case Hir::Kind::kLook: return true;
    case Hir::Kind::kRepeat:
    case Hir::Kind::kConcat:
    case Hir::Kind::kAlternate: return std::ranges::all_of(hir.children, matches_only_empty_text);
    default: return false;
  }
}

// The node as a set of code points if it matches exactly one code point.
std::optional<CodeSet> as_codes(const Hir& hir) {
  if (hir.kind == Hir::Kind::kClass) return hir.codes;
  if (hir.kind == Hir::Kind::kLiteral && utf8_character_length(hir.bytes) == hir.bytes.size()) {
    return CodeSet::single(utf8_code_point(hir.bytes));
  }
  return std::nullopt;
}

std::optional<CodeSet> as_bytes(const Hir& hir) {
  if (hir.kind == Hir::Kind::kByteClass) {
    CodeSet bytes;
    for (char32_t byte = 0; byte < 256; ++byte) {
      if (hir.byte_set[byte]) bytes.add(CodeRange{byte, byte});
    }
    return bytes;
  }
  if (hir.kind == Hir::Kind::kLiteral && hir.bytes.size() == 1) {
    return CodeSet::single(static_cast<unsigned char>(hir.bytes.front()));
  }
  if (hir.kind == Hir::Kind::kClass && hir.codes.ascii()) return hir.codes;
  return std::nullopt;
}

// Counts the alternatives from `begin` on that `as_set` converts, and collects their union.
std::size_t gather(const std::vector<Hir>& children, std::size_t begin, std::vector<CodeRange>& ranges,
                   std::optional<CodeSet> (*as_set)(const Hir&)) {
  ranges.clear();
  std::size_t end = begin;
  for (; end < children.size(); ++end) {
    const auto set = as_set(children[end]);
    if (!set) break;
    ranges.insert(ranges.end(), set->ranges().begin(), set->ranges().end());
  }
  return end - begin;
}

std::vector<Hir> flatten(std::vector<Hir> children, Hir::Kind kind) {
  std::vector<Hir> flat;
  flat.reserve(children.size());
  for (Hir& child : children) {
    if (child.kind == kind) {
      std::ranges::move(child.children, std::back_inserter(flat));
    } else {
      flat.push_back(std::move(child));
    }
  }
  return flat;
}

}  // namespace

Hir make_literal(std::string bytes) {
  if (bytes.empty()) return {};
  return {.kind = Hir::Kind::kLiteral, .bytes = std::move(bytes)};
}

Hir make_look(Look look) { return {.kind = Hir::Kind::kLook, .look = look}; }

Hir make_class(CodeSet codes) {
  if (codes.ranges().size() <= 2) {  // more ranges always contain at least two characters
    const CodeSet characters = codes.difference(CodeSet({{kSurrogates}}));
    if (characters.empty()) return {.kind = Hir::Kind::kNothing};
    if (characters.size() == 1) {
      std::string bytes;
      append_utf8(bytes, characters.ranges().front().first);
      return make_literal(std::move(bytes));
    }
  }
  return {.kind = Hir::Kind::kClass, .codes = std::move(codes)};
}

Hir make_byte_class(const CodeSet& bytes) {
  if (bytes.ascii()) return make_class(bytes);
  if (bytes.size() == 1) return make_literal(std::string(1, static_cast<char>(bytes.ranges().front().first)));
  Hir hir{.kind = Hir::Kind::kByteClass};
  for (const CodeRange& range : bytes.ranges()) {
    for (char32_t byte = range.first; byte <= range.last; ++byte) hir.byte_set.set(byte);
  }
  return hir;
}

Hir make_repeat(Hir child, std::uint32_t min, std::uint32_t max, bool greedy) {
  if (matches_only_empty_text(child)) {  // more repetitions change nothing
    min = std::min(min, 1u);
    max = std::min(max, 1u);
  }
  if (max == 0) return {};
  if (min == 1 && max == 1) return child;
  if (child.kind == Hir::Kind::kEmpty) return child;
  Hir hir{.kind = Hir::Kind::kRepeat, .greedy = greedy, .min = min, .max = max};
  hir.children.push_back(std::move(child));
  return hir;
}

Hir make_concat(std::vector<Hir> children) {
  std::vector<Hir> merged;
  for (Hir& child : flatten(std::move(children), Hir::Kind::kConcat)) {
    if (child.kind == Hir::Kind::kEmpty) continue;
    if (child.kind == Hir::Kind::kLiteral && !merged.empty() && merged.back().kind == Hir::Kind::kLiteral) {
      merged.back().bytes += child.bytes;
    } else {
      merged.push_back(std::move(child));
    }
  }
  if (merged.empty()) return {};
  if (merged.size() == 1) return std::move(merged.front());
  return {.kind = Hir::Kind::kConcat, .children = std::move(merged)};
}

Hir make_alternate(std::vector<Hir> children) {
  children = flatten(std::move(children), Hir::Kind::kAlternate);
  std::vector<Hir> merged;
  std::vector<CodeRange> ranges;
  for (std::size_t i = 0; i < children.size();) {
    if (const std::size_t codes = gather(children, i, ranges, as_codes); codes > 1) {
      merged.push_back(make_class(CodeSet(ranges)));
      i += codes;
    } else if (const std::size_t bytes = gather(children, i, ranges, as_bytes); bytes > 1) {
      merged.push_back(make_byte_class(CodeSet(ranges)));
      i += bytes;
    } else {
      merged.push_back(std::move(children[i++]));
    }
  }
  if (merged.size() == 1) return std::move(merged.front());
  return {.kind = Hir::Kind::kAlternate, .children = std::move(merged)};
}

}  // namespace helve::regex
