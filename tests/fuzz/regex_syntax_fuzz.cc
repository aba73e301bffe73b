// Feeds arbitrary patterns to the parser and checks what it promises about what it accepts and refuses.
// Build with clang++ -std=c++23 -fsanitize=fuzzer,address,undefined -Iinclude -Isrc, together with
// src/regex/{code_set,hir,unicode,unicode_tables,syntax*}.cc but the tests, and
// src/base/{strings,utf8,error,json*}.cc.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "regex/syntax.h"

namespace {

using helve::regex::CodeSet;
using helve::regex::Hir;
using helve::regex::SyntaxOptions;

void expect(bool holds) {
  if (!holds) std::abort();
}

void check_class(const CodeSet& codes, const SyntaxOptions& options) {
  expect(codes.size() > 1);
  expect(options.across_lines || !codes.contains('\n'));
  const auto ranges = codes.ranges();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    expect(ranges[i].first <= ranges[i].last && ranges[i].last <= helve::regex::kLastCodePoint);
    expect(i == 0 || ranges[i].first > ranges[i - 1].last + 1);
  }
}

void check(const Hir& hir, const SyntaxOptions& options) {
  switch (hir.kind) {
    case Hir::Kind::kEmpty:
    case Hir::Kind::kNothing:
    case Hir::Kind::kLook: return;
    case Hir::Kind::kLiteral:
      expect(!hir.bytes.empty());
      expect(options.across_lines || hir.bytes.find('\n') == std::string::npos);
      return;
    case Hir::Kind::kClass: return check_class(hir.codes, options);
    case Hir::Kind::kByteClass:
      expect(hir.byte_set.count() > 1);
      expect(options.across_lines || !hir.byte_set['\n']);
      return;
    case Hir::Kind::kRepeat:
      expect(hir.children.size() == 1 && hir.min <= hir.max && hir.max > 0);
      expect(hir.min != 1 || hir.max != 1);
      break;
    case Hir::Kind::kConcat:
    case Hir::Kind::kAlternate: expect(hir.children.size() >= 2); break;
  }
  for (std::size_t i = 0; i < hir.children.size(); ++i) {
    const Hir& child = hir.children[i];
    if (hir.kind != Hir::Kind::kRepeat) expect(child.kind != hir.kind);
    if (hir.kind == Hir::Kind::kConcat) {
      expect(child.kind != Hir::Kind::kEmpty);
      expect(i == 0 || child.kind != Hir::Kind::kLiteral || hir.children[i - 1].kind != Hir::Kind::kLiteral);
    }
    check(child, options);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const SyntaxOptions options = {.ignore_case = (data[0] & 1) != 0,
                                 .across_lines = (data[0] & 2) != 0,
                                 .dot_matches_line_break = (data[0] & 4) != 0,
                                 .crlf = (data[0] & 8) != 0,
                                 .literal = (data[0] & 16) != 0};
  const std::string_view pattern(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto hir = helve::regex::parse(pattern, options);
  if (hir) {
    check(*hir, options);
    return 0;
  }
  expect(hir.error().message.ends_with('.'));
  if (const helve::Json* suggestion = hir.error().details.find("suggestion")) {
    expect(helve::regex::parse(suggestion->as_string(), options).has_value());
  }
  return 0;
}
