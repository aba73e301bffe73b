// Writes a Hir as short text, for tests that say what a pattern means.
#pragma once

#include <string>

#include "base/strings.h"
#include "base/utf8.h"
#include "regex/hir.h"

namespace helve::regex {

inline void append_code(std::string& out, char32_t code) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  if (code > ' ' && code < 0x7F) {
    out += static_cast<char>(code);
    return;
  }
  out += "<";
  for (int shift = code > 0xFFFF ? 20 : code > 0xFF ? 12 : 4; shift >= 0; shift -= 4) {
    out += kDigits[code >> shift & 15];
  }
  out += ">";
}

inline std::string_view name_of(Look look) {
  constexpr std::string_view kNames[] = {"text-start",
                                         "text-end",
                                         "line-start",
                                         "line-end",
                                         "line-start-crlf",
                                         "line-end-crlf",
                                         "b",
                                         "not-b",
                                         "word-start",
                                         "word-end",
                                         "word-start-half",
                                         "word-end-half",
                                         "b-ascii",
                                         "not-b-ascii",
                                         "word-start-ascii",
                                         "word-end-ascii",
                                         "word-start-half-ascii",
                                         "word-end-half-ascii"};
  return kNames[static_cast<std::size_t>(look)];
}

inline std::string show(const CodeSet& set) {
  std::string out;
  for (const CodeRange& range : set.ranges()) {
    append_code(out, range.first);
    if (range.last == range.first) continue;
    if (range.last > range.first + 1) out += '-';
    append_code(out, range.last);
  }
  return out;
}

// "ab" for text, [a-c] for a class, bytes[…] for a byte class, {look}, (a b) for one after the other, (a | b)
// for alternatives, and a repetition after what it repeats.
inline std::string show(const Hir& hir) {
  std::string out;
  switch (hir.kind) {
    case Hir::Kind::kEmpty: return "empty";
    case Hir::Kind::kNothing: return "nothing";
    case Hir::Kind::kLiteral:
      if (is_valid_utf8(hir.bytes)) return "\"" + hir.bytes + "\"";
      for (const char c : hir.bytes) append_code(out, static_cast<unsigned char>(c));
      return "\"" + out + "\"";
    case Hir::Kind::kClass: return "[" + show(hir.codes) + "]";
    case Hir::Kind::kByteClass: {
      CodeSet bytes;
      for (char32_t byte = 0; byte < 256; ++byte) {
        if (hir.byte_set[byte]) bytes.add(CodeRange{byte, byte});
      }
      return "bytes[" + show(bytes) + "]";
    }
    case Hir::Kind::kLook: return concat("{", name_of(hir.look), "}");
    case Hir::Kind::kRepeat:
      out = concat(show(hir.children.front()), "{", hir.min, ",");
      if (hir.max != Hir::kUnbounded) out += concat(hir.max);
      return out + (hir.greedy ? "}" : "}?");
    case Hir::Kind::kConcat:
    case Hir::Kind::kAlternate: {
      for (const Hir& child : hir.children) {
        if (!out.empty()) out += hir.kind == Hir::Kind::kConcat ? " " : " | ";
        out += show(child);
      }
      return "(" + out + ")";
    }
  }
  return out;
}

}  // namespace helve::regex
