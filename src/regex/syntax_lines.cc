#include "regex/syntax_lines.h"

#include <algorithm>
#include <utility>

#include "regex/hir.h"

namespace helve::regex {
namespace {

Problem needs_lines(std::size_t begin, std::size_t end) {
  return {
      .begin = begin,
      .end = end,
      .what = "the pattern requires a line break, but matches stay within one line.",
      .advice = "Set multiline to match across lines, or search for each line: ^ and $ match at its ends."};
}

}  // namespace

LineRules::LineRules(const SyntaxOptions& options) {
  if (options.across_lines) return;
  breaks_.add(CodeRange{'\n', '\n'});
  if (options.crlf) breaks_.add(CodeRange{'\r', '\r'});
}

void LineRules::notice(char32_t code, std::size_t begin, std::size_t end) {
  if (code < ' ') notice(CodeSet::single(code), begin, end);
}

void LineRules::notice(const CodeSet& set, std::size_t begin, std::size_t end) {
  if (place_ || set.size() > breaks_.size() || set.empty()) return;
  if (set.difference(breaks_).empty()) place_ = needs_lines(begin, end);
}

Parsed<Hir> LineRules::confine(Hir hir) const {
  if (breaks_.empty() || strip(hir)) return hir;
  return refuse(place_.value_or(needs_lines(0, 0)));
}

// As in ripgrep, [\n] and \n are rejected and [\na] becomes a. Returns false if something could match only a
// line break.
bool LineRules::strip(Hir& hir) const {
  switch (hir.kind) {
    case Hir::Kind::kLiteral:
      return std::ranges::none_of(hir.bytes,
                                  [&](char c) { return breaks_.contains(static_cast<unsigned char>(c)); });
    case Hir::Kind::kClass: {
      hir = make_class(hir.codes.difference(breaks_));
      return hir.kind != Hir::Kind::kNothing;
    }
    case Hir::Kind::kByteClass:
      for (const CodeRange& range : breaks_.ranges()) hir.byte_set.reset(range.first);
      if (hir.byte_set.count() == 1) {
        char32_t byte = 0;
        while (!hir.byte_set[byte]) ++byte;
        hir = make_literal(std::string(1, static_cast<char>(byte)));
      }
      return true;
    case Hir::Kind::kConcat:
      if (!std::ranges::all_of(hir.children, [&](Hir& child) { return strip(child); })) return false;
      hir = make_concat(std::exchange(hir.children, {}));
      return true;
    case Hir::Kind::kAlternate:
      if (!std::ranges::all_of(hir.children, [&](Hir& child) { return strip(child); })) return false;
      hir = make_alternate(std::exchange(hir.children, {}));
      return true;
    case Hir::Kind::kRepeat: return strip(hir.children.front());
    default: return true;
  }
}

}  // namespace helve::regex
