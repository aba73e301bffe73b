#include "text/span_edit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "base/strings.h"

namespace helve::text {
namespace {

using namespace std::string_view_literals;

std::vector<ByteSpan> find(std::string_view bytes, std::string_view text) {
  return find_text(bytes, inspect_text(bytes), text).value();
}

// Replaces all matches, each fitted to its place.
std::string edited(std::string_view bytes, std::string_view from, std::string_view to) {
  const TextFormat format = inspect_text(bytes);
  std::vector<Replacement> replacements;
  const auto spans = find_text(bytes, format, from);
  for (const ByteSpan& span : *spans)
    replacements.push_back({span, fit_text(bytes, format, span, to).value()});
  std::string out;
  for (const std::string_view piece : splice(bytes, replacements)) out += piece;
  return out;
}

TEST(SpanEdit, FindsPlainTextWithoutOverlaps) {
  EXPECT_EQ(find("banana", "ana"), (std::vector<ByteSpan>{{1, 3}}));
  EXPECT_EQ(find("aaaa", "aa"), (std::vector<ByteSpan>{{0, 2}, {2, 2}}));
  EXPECT_EQ(find("abc", "x"), std::vector<ByteSpan>{});
  EXPECT_EQ(find("abc", ""), std::vector<ByteSpan>{});
  EXPECT_EQ(find_text("aaaa", inspect_text("aaaa"), "a", 2)->size(), 2U);
}

TEST(SpanEdit, ALineBreakMatchesAnyEnding) {
  EXPECT_EQ(find("a\r\nb\r\n", "a\nb"), (std::vector<ByteSpan>{{0, 4}}));
  EXPECT_EQ(find("a\r\nb\nc\r\nd", "b\nc\nd"), (std::vector<ByteSpan>{{3, 6}}));
  EXPECT_EQ(find("a\nb", "a\r\nb"), (std::vector<ByteSpan>{{0, 3}}));
  EXPECT_EQ(find("a\rb\rc", "a\nb\n"), (std::vector<ByteSpan>{{0, 4}}));
  EXPECT_EQ(find("x\r\n\r\ny", "\n\n"), (std::vector<ByteSpan>{{1, 4}}));
  EXPECT_EQ(find("x\n\n\n\n\n", "\n\n"), (std::vector<ByteSpan>{{1, 2}, {3, 2}}));
  EXPECT_EQ(find("a\r\nfoo\r\n", "\nfoo\n"), (std::vector<ByteSpan>{{1, 7}}));
  EXPECT_EQ(find("end\r\nlong line\r\nend\r\nx", "end\nx"), (std::vector<ByteSpan>{{16, 6}}));
}

// A simple reference implementation.
std::vector<ByteSpan> find_slowly(std::string_view bytes, std::string_view text) {
  std::vector<ByteSpan> spans;
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t end = at;
    for (const char wanted : text) {
      if (wanted == '\n' && bytes.substr(end).starts_with("\r\n")) ++end;
      if (end >= bytes.size() || bytes[end] != wanted) {
        end = at;
        break;
      }
      ++end;
    }
    if (end > at) spans.push_back({at, end - at});
    at = std::max(end, at + 1);
  }
  return spans;
}

TEST(SpanEdit, MatchesASimpleSearchOnRepetitiveTexts) {
  std::mt19937 random(5);
  std::size_t found = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::string bytes;
    for (unsigned i = random() % 60; i > 0; --i) bytes += std::array{"a", "b", "\n", "\r\n"}[random() % 4];
    std::string text;
    for (unsigned i = 1 + random() % 6; i > 0; --i) text += "ab\n\n"[random() % 4];
    const auto expected = find_slowly(bytes, text);
    ASSERT_EQ(find(bytes, text), expected) << ::testing::PrintToString(bytes) << " " << text;
    found += expected.size();
  }
  EXPECT_GT(found, 1'000U);
}

TEST(SpanEdit, NewTextGetsTheEndingsOfItsPlace) {
  EXPECT_EQ(edited("a\r\nb\r\n", "a", "1\n2"), "1\r\n2\r\nb\r\n");
  EXPECT_EQ(edited("a\nb\r\nc\n", "b", "1\n2"), "a\n1\r\n2\r\nc\n");
  EXPECT_EQ(edited("a\r\nb\nc", "a\nb\nc", "1\n2\n3\n4"), "1\r\n2\n3\n4");
  EXPECT_EQ(edited("a\r\nlast", "last", "1\n2"), "a\r\n1\r\n2");
  EXPECT_EQ(edited("only", "only", "1\r\n2"), "1\n2");
  EXPECT_EQ(edited("a\rb", "a", "1\n2"), "1\r2\rb");
  EXPECT_EQ(edited("x\r\n", "x", "$& \\1 %s"), "$& \\1 %s\r\n");
}

TEST(SpanEdit, NeverSplitsAUtf16Unit) {
  // U+6100 U+0061 has the bytes 00 61 61 00: "a" is only in the second half of them.
  const TextEncoding encoding{Charset::kUtf16Le, true};
  const std::string bytes =
      std::string(bom_of(encoding)) + *encode("\xE6\x84\x80 apple\r\n\xE6\x84\x80", encoding);
  const TextFormat format = inspect_text(bytes);
  EXPECT_EQ(format.encoding, encoding);
  EXPECT_EQ(find_text(bytes, format, "a")->size(), 1U);
  EXPECT_EQ(edited(bytes, "apple\n", "pear\n"),
            std::string(bom_of(encoding)) + *encode("\xE6\x84\x80 pear\r\n\xE6\x84\x80", encoding));
}

TEST(SpanEdit, TheByteOrderMarkIsNeverPartOfAMatch) {
  EXPECT_EQ(edited("\xEF\xBB\xBFname", "name", "x"), "\xEF\xBB\xBFx");
  EXPECT_EQ(find("\xEF\xBB\xBFname", "\xEF\xBB\xBF"), std::vector<ByteSpan>{});
}

TEST(SpanEdit, RefusesCharactersThatTheEncodingLacks) {
  const std::string bytes = *encode("Grüße aus Köln, schön\n", {Charset::kLatin1});
  const TextFormat format = inspect_text(bytes);
  EXPECT_EQ(format.encoding.charset, Charset::kLatin1);
  EXPECT_EQ(find_text(bytes, format, "Köln")->size(), 1U);
  EXPECT_FALSE(find_text(bytes, format, "→"));
  const auto refused = fit_text(bytes, format, {0, 1}, "a\nb →");
  ASSERT_FALSE(refused);
  EXPECT_EQ(*refused.error().details.find("line"), Json(2));
}

TEST(SpanEdit, ConvertsLineBreaks) {
  EXPECT_EQ(with_endings("a\nb\r\nc", LineEnding::kCrLf), "a\r\nb\r\nc");
  EXPECT_EQ(with_endings("a\r\nb\rc\n", LineEnding::kLf), "a\nb\rc\n");
  EXPECT_EQ(with_endings("\n\r\n", LineEnding::kCr), "\r\r");
}

// For every encoding and line ending, valid or not, an edit of one ASCII word changes only its bytes.
TEST(SpanEdit, AnEditChangesItsWordAndNoOtherByte) {
  struct Sample {
    TextEncoding encoding;
    std::string_view text;
  };
  const Sample samples[] = {
      {{Charset::kUtf8}, "plain ascii"},
      {{Charset::kUtf8}, "grün → λ 😀 ünï"},
      {{Charset::kUtf8, true}, "with a mark, süß"},
      {{Charset::kUtf16Le, true}, "wide 😀 ਊ"},
      {{Charset::kUtf16Be, true}, "wide 😀 ਊ"},
      {{Charset::kUtf16Le}, "obviously wide"},
      {{Charset::kUtf16Be}, "obviously wide"},
      {{Charset::kLatin1}, "Mädchen, Brücke, Größe"},
      {{Charset::kWindows1252}, "“Déjà vu” – 5 €"},
      {{Charset::kWindows1250}, "Zażółć gęślą jaźń"},
      {{Charset::kWindows1251}, "Быстрая лиса прыгает через собаку"},
      {{Charset::kKoi8R}, "Быстрая лиса прыгает через собаку"},
  };
  const std::vector<std::vector<std::string_view>> endings{
      {"\n"}, {"\r\n"}, {"\r"}, {"\n", "\r\n"}, {"\r\n", "\n", "\r"}, {""}};
  int tried = 0;
  for (const Sample& sample : samples) {
    for (const auto& style : endings) {
      for (const std::string_view noise : {""sv, "\xFF"sv, "\xC3(\x80"sv, "\xED\xA0\x80"sv}) {
        for (const bool final_break : {true, false}) {
          // Before and after the word: several lines in the encoding, invalid bytes in the middle of them.
          std::string around;
          for (std::size_t line = 0; line < 6; ++line) {
            around += *encode(sample.text, sample.encoding);
            around += line == 3 ? noise : "";
            if (around.size() % sample.encoding.unit_size() != 0) around += 'x';
            if (line < 5 || final_break) around += *encode(style[line % style.size()], sample.encoding);
          }
          const std::string head = concat(bom_of(sample.encoding), around);
          const std::string before = concat(head, *encode("NEEDLE", sample.encoding), around);
          const std::string after = concat(head, *encode("thread", sample.encoding), around);
          ASSERT_TRUE(inspect_text(before).encoding.is_text()) << to_string(sample.encoding);
          EXPECT_EQ(edited(before, "NEEDLE", "thread"), after)
              << to_string(sample.encoding) << ' ' << sample.text;
          ++tried;
        }
      }
    }
  }
  EXPECT_EQ(tried, 12 * 6 * 4 * 2);
}

}  // namespace
}  // namespace helve::text
