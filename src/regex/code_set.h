// Sets of Unicode code points as sorted ranges, with the operations that character classes need.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace helve::regex {

inline constexpr char32_t kLastCodePoint = 0x10FFFF;

struct CodeRange {
  char32_t first = 0;
  char32_t last = 0;

  bool operator==(const CodeRange&) const = default;
};

inline constexpr CodeRange kSurrogates{0xD800, 0xDFFF};

// The ranges are sorted, do not overlap and do not touch. A set may contain surrogates, but no valid text
// does.
class CodeSet {
 public:
  CodeSet() = default;
  explicit CodeSet(std::span<const CodeRange> ranges);
  [[nodiscard]] static CodeSet single(char32_t code) { return CodeSet({{{code, code}}}); }
  [[nodiscard]] static CodeSet everything() { return CodeSet({{{0, kLastCodePoint}}}); }

  void add(CodeRange range);
  void add(const CodeSet& other);
  [[nodiscard]] CodeSet intersection(const CodeSet& other) const;
  [[nodiscard]] CodeSet difference(const CodeSet& other) const;
  [[nodiscard]] CodeSet symmetric_difference(const CodeSet& other) const;
  [[nodiscard]] CodeSet complement() const;

  [[nodiscard]] bool contains(char32_t code) const;
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] std::size_t size() const;  // code points
  [[nodiscard]] std::span<const CodeRange> ranges() const { return ranges_; }
  // Whether all code points are below U+0080.
  [[nodiscard]] bool ascii() const { return ranges_.empty() || ranges_.back().last < 0x80; }

  bool operator==(const CodeSet&) const = default;

 private:
  void normalise();

  std::vector<CodeRange> ranges_;
};

}  // namespace helve::regex
