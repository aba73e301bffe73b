// Checks the meaning of patterns.
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "base/utf8.h"
#include "regex/hir.h"
#include "regex/syntax.h"
#include "regex/unicode.h"

namespace helve::regex {
namespace {

void append_code(std::string& out, char32_t code) {
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

std::string_view name_of(Look look) {
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

std::string show(const CodeSet& set) {
  std::string out;
  for (const CodeRange& range : set.ranges()) {
    append_code(out, range.first);
    if (range.last == range.first) continue;
    if (range.last > range.first + 1) out += '-';
    append_code(out, range.last);
  }
  return out;
}

// Prints a Hir: "ab" for a literal, [a-c] for a class, bytes[…] for a byte class, {look}, (a b) for a
// concatenation, (a | b) for alternatives, and x{1,2} for a repetition.
std::string show(const Hir& hir) {
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

std::string meaning(std::string_view pattern, const SyntaxOptions& options = {}) {
  const auto hir = parse(pattern, options);
  return hir ? show(*hir) : "error: " + hir.error().message;
}

constexpr SyntaxOptions kAcrossLines = {.across_lines = true};

TEST(Syntax, TextBecomesOneLiteral) {
  EXPECT_EQ(meaning("abc"), R"("abc")");
  EXPECT_EQ(meaning("é漢😀"), R"("é漢😀")");
  EXPECT_EQ(meaning("a(b(?:c)(?P<n>d))e"), R"("abcde")");
  EXPECT_EQ(meaning("a[b]c{1}d"), R"("abcd")");
  EXPECT_EQ(meaning(R"(\.\*\x41\x{1F600}\u00e9\U0001F600)"), R"(".*A😀é😀")");
  EXPECT_EQ(meaning(R"(\a\f\t\v)"), "\"\a\f\t\v\"");
  EXPECT_EQ(meaning(""), "empty");
  EXPECT_EQ(meaning("()(?:)(?i)"), "empty");
}

TEST(Syntax, RepetitionsBindToTheLastItem) {
  EXPECT_EQ(meaning("abc*"), R"(("ab" "c"{0,}))");
  EXPECT_EQ(meaning("(?:ab)+?c?"), R"(("ab"{1,}? "c"{0,1}))");
  EXPECT_EQ(meaning("a{2}b{3,}c{4,5}?"), R"(("a"{2,2} "b"{3,} "c"{4,5}?))");
  EXPECT_EQ(meaning("a{ 2 , 3 }"), R"("a"{2,3})");
  EXPECT_EQ(meaning("a*+"), R"("a"{0,}{1,})");
}

TEST(Syntax, RepetitionsThatDoNothingDisappear) {
  EXPECT_EQ(meaning("a{1}"), R"("a")");
  EXPECT_EQ(meaning("a{0}b"), R"("b")");
  EXPECT_EQ(meaning("(?:){5}"), "empty");
  EXPECT_EQ(meaning("^{5}"), "{line-start}");
  EXPECT_EQ(meaning("(?:^|$)*"), "({line-start} | {line-end}){0,1}");
}

TEST(Syntax, FlagUSwapsGreed) {
  EXPECT_EQ(meaning("(?U)a*b*?"), R"(("a"{0,}? "b"{0,}))");
  EXPECT_EQ(meaning("(?U:a*)a*"), R"(("a"{0,}? "a"{0,}))");
}

TEST(Syntax, AlternativesAreFlatAndKeepTheirOrder) {
  EXPECT_EQ(meaning("foo|bar|(?:baz|(qux))"), R"(("foo" | "bar" | "baz" | "qux"))");
  EXPECT_EQ(meaning("a|"), R"(("a" | empty))");
  EXPECT_EQ(meaning("x(ab|cd)y"), R"(("x" ("ab" | "cd") "y"))");
}

TEST(Syntax, NeighbouringCharactersInAlternativesBecomeAClass) {
  EXPECT_EQ(meaning("a|c|b|é"), "[a-c<E9>]");
  EXPECT_EQ(meaning("a|b|foo|[c-e]|x"), R"(([ab] | "foo" | [c-ex]))");
  EXPECT_EQ(meaning("a|ab"), R"(("a" | "ab"))") << "of different length, so the order matters";
  EXPECT_EQ(meaning("a|a"), R"("a")");
  EXPECT_EQ(meaning(R"((?-u)\xFF|a|\xFE)"), "bytes[a<FE><FF>]");
}

TEST(Syntax, AnchorsAreOfLinesUnlessTheTextIsMeant) {
  EXPECT_EQ(meaning("^a$"), R"(({line-start} "a" {line-end}))");
  EXPECT_EQ(meaning(R"(\Aa\z)"), R"(({text-start} "a" {text-end}))");
  EXPECT_EQ(meaning("(?-m)^(?m:^)$"), "({text-start} {line-start} {text-end})");
  EXPECT_EQ(meaning("^$", {.crlf = true}), "({line-start-crlf} {line-end-crlf})");
  EXPECT_EQ(meaning("(?R)^(?-R:$)"), "({line-start-crlf} {line-end})");
}

TEST(Syntax, WordBoundariesComeInAllKinds) {
  EXPECT_EQ(meaning(R"(\b\B\<\>)"), "({b} {not-b} {word-start} {word-end})");
  EXPECT_EQ(meaning(R"(\b{start}\b{end})"), "({word-start} {word-end})");
  EXPECT_EQ(meaning(R"(\b{start-half}\b{end-half})"), "({word-start-half} {word-end-half})");
  EXPECT_EQ(meaning(R"((?-u)\b\B\<\>)"), "({b-ascii} {not-b-ascii} {word-start-ascii} {word-end-ascii})");
  EXPECT_EQ(meaning(R"((?-u)\b{start-half}\b{end-half})"), "({word-start-half-ascii} {word-end-half-ascii})");
  EXPECT_EQ(meaning(R"(\b{2})"), "{b}");
}

TEST(Syntax, BracketsHoldRangesNegationsAndEachOther) {
  EXPECT_EQ(meaning("[a-cx]"), "[a-cx]");
  EXPECT_EQ(meaning("[]a]"), "[]a]");
  EXPECT_EQ(meaning("[^]a]", kAcrossLines), "[<00>-\\^-`b-<10FFFF>]");
  EXPECT_EQ(meaning("[a-c[x-z]]"), "[a-cx-z]");
  EXPECT_EQ(meaning("[-a]"), "[-a]");
  EXPECT_EQ(meaning("[a-]"), "[-a]");
  EXPECT_EQ(meaning("[a^]"), "[^a]");
  EXPECT_EQ(meaning(R"([\]\-\\])"), R"([-\]])");
  EXPECT_EQ(meaning("[*-,]"), "[*-,]");
  EXPECT_EQ(meaning("[[:digit:][:upper:]]"), "[0-9A-Z]");
  EXPECT_EQ(meaning("[:upper:]"), "[:epru]") << "no POSIX class without brackets around it";
  EXPECT_EQ(meaning("[[:nope:]]"), "[:en-p]");
}

TEST(Syntax, SetOperatorsBindAlikeFromTheLeft) {
  EXPECT_EQ(meaning("[a-z&&[^aeiou]]"), "[b-df-hj-np-tv-z]");
  EXPECT_EQ(meaning("[a-f--b-c]"), "[ad-f]");
  EXPECT_EQ(meaning("[a-c~~b-d]"), "[ad]");
  EXPECT_EQ(meaning("[a-d&&b-e--c]"), "[bd]");
  EXPECT_EQ(meaning("[^a-z&&b]", kAcrossLines), "[<00>-ac-<10FFFF>]")
      << "the negation applies to the whole class";
  EXPECT_EQ(meaning("[a&b]"), "[&ab]");
  EXPECT_EQ(meaning("[a&&b]"), "nothing");
  EXPECT_EQ(meaning("[a-c&&]"), "nothing");
}

TEST(Syntax, PerlClassesUseUnicode) {
  EXPECT_EQ(parse(R"(\w)", {})->codes, word_characters());
  EXPECT_EQ(parse(R"(\d)", {})->codes, decimal_digits());
  EXPECT_EQ(parse(R"(\s)", kAcrossLines)->codes, white_space());
  EXPECT_EQ(parse(R"(\W)", kAcrossLines)->codes, word_characters().complement());
  EXPECT_EQ(parse(R"([\w\s])", kAcrossLines)->codes.contains(' '), true);
  EXPECT_EQ(meaning(R"((?-u)\d\w)"), "([0-9] [0-9A-Z_a-z])");
}

TEST(Syntax, PropertiesAreClasses) {
  EXPECT_EQ(parse(R"(\p{Greek})", {})->codes, *find_property("Greek"));
  EXPECT_EQ(parse(R"(\pL)", {})->codes, *find_property("L"));
  EXPECT_EQ(parse(R"(\PL)", kAcrossLines)->codes, find_property("L")->complement());
  EXPECT_EQ(parse(R"(\p{sc!=Greek})", kAcrossLines)->codes, find_property("Greek")->complement());
  EXPECT_EQ(parse(R"(\P{sc!=Greek})", {})->codes, *find_property("Greek"));
  EXPECT_EQ(meaning(R"([\p{Lu}&&[A-C]])"), "[A-C]");
}

TEST(Syntax, IgnoringCaseFoldsTextAndClasses) {
  EXPECT_EQ(meaning("k1", {.ignore_case = true}), R"(([Kk<212A>] "1"))");
  EXPECT_EQ(meaning("(?i)a(?-i)b"), R"(([Aa] "b"))");
  EXPECT_EQ(meaning("(?i:a)b"), R"(([Aa] "b"))");
  EXPECT_EQ(meaning("a(?i)b|c"), R"((("a" [Bb]) | [Cc]))") << "the flag applies to the end of the group";
  EXPECT_EQ(meaning("(?:(?i)a)a"), R"(([Aa] "a"))");
  EXPECT_EQ(meaning("(?i)[s]"), "[Ss<017F>]");
  EXPECT_EQ(meaning("(?i)[^s]", kAcrossLines), "[<00>-RT-rt-<017E><0180>-<10FFFF>]");
  EXPECT_EQ(meaning("(?i)[a-c&&B]"), "[Bb]");
  EXPECT_EQ(meaning("(?i-u)k[s]"), "([Kk] [Ss])") << "ASCII only";
  EXPECT_EQ(meaning("(?i)漢"), R"("漢")");
}

TEST(Syntax, TheDotExcludesLineBreaks) {
  EXPECT_EQ(meaning("."), "[<00>-<09><0B>-<10FFFF>]");
  EXPECT_EQ(meaning(".", {.across_lines = true, .crlf = true}), "[<00>-<09><0B><0C><0E>-<10FFFF>]");
  EXPECT_EQ(meaning("(?s).", kAcrossLines), "[<00>-<10FFFF>]");
  EXPECT_EQ(meaning(".", {.across_lines = true, .dot_matches_line_break = true}), "[<00>-<10FFFF>]");
  EXPECT_EQ(meaning("(?-s).", {.across_lines = true, .dot_matches_line_break = true}),
            "[<00>-<09><0B>-<10FFFF>]");
  EXPECT_EQ(meaning("(?-u)."), "bytes[<00>-<09><0B>-<FF>]");
}

TEST(Syntax, WithinLinesClassesLoseLineBreaks) {
  EXPECT_EQ(meaning("(?s)."), "[<00>-<09><0B>-<10FFFF>]");
  EXPECT_EQ(meaning(R"([\na])"), R"("a")");
  EXPECT_EQ(meaning(R"(x[\na]y)"), R"("xay")") << "the rest is simplified again";
  EXPECT_EQ(meaning(R"([\n\r])"), "\"\r\"");
  EXPECT_EQ(meaning(R"([^a])"), "[<00>-<09><0B>-`b-<10FFFF>]");
  EXPECT_EQ(meaning(R"([^a])", {.crlf = true}), "[<00>-<09><0B><0C><0E>-`b-<10FFFF>]");
  EXPECT_EQ(meaning(R"((?-u)[^\x00-\x7F])"), "bytes[<80>-<FF>]");
  EXPECT_EQ(meaning(R"((?-u)[\n\xFF])"), R"("<FF>")");
  EXPECT_EQ(meaning(R"([a&&\n])"), "nothing") << "it matched nothing before";
}

TEST(Syntax, BytesWithoutUnicode) {
  EXPECT_EQ(meaning(R"((?-u)\xFFa)"), R"("<FF>a")");
  EXPECT_EQ(meaning(R"((?-u)\xC3\xA9)"), R"("é")");
  EXPECT_EQ(meaning(R"(\xFF)"), R"("ÿ")");
  EXPECT_EQ(meaning(R"((?-u)\x{FF})"), R"("ÿ")");
  EXPECT_EQ(meaning("(?-u)é"), R"("é")");
  EXPECT_EQ(meaning(R"((?-u)[\x80-\xFFa])"), "bytes[a<80>-<FF>]");
  EXPECT_EQ(meaning(R"((?-u)[^a])", kAcrossLines), "bytes[<00>-`b-<FF>]");
  EXPECT_EQ(meaning("(?-u)[abc]"), "[a-c]") << "ASCII is the same with and without Unicode";
  EXPECT_EQ(meaning("(?-u:[[:^alpha:]])", kAcrossLines), "bytes[<00>-@[-`{-<FF>]");
}

TEST(Syntax, SpaceAndCommentsAreIgnoredOnRequest) {
  EXPECT_EQ(meaning("(?x) a b # comment\n c"), R"("abc")");
  EXPECT_EQ(meaning("(?x) a # comment to the end"), R"("a")");
  EXPECT_EQ(meaning(R"((?x)a\ b\#)"), R"("a b#")");
  EXPECT_EQ(meaning("(?x)[ a - c ]"), "[a-c]");
  EXPECT_EQ(meaning("(?x: a ) b"), R"("a b")");
  EXPECT_EQ(meaning("(?x)a * ?"), R"("a"{0,}{0,1})");
  EXPECT_EQ(meaning("(?x)a {2} ?"), R"("a"{2,2}?)");
  EXPECT_EQ(meaning("a #b"), R"("a #b")");
}

TEST(Syntax, LiteralPatternsAreText) {
  EXPECT_EQ(meaning("a.b*(", {.literal = true}), R"("a.b*(")");
  EXPECT_EQ(meaning("k(", {.ignore_case = true, .literal = true}), R"(([Kk<212A>] "("))");
  EXPECT_EQ(meaning("a\nb", {.across_lines = true, .literal = true}), "\"a\nb\"");
  EXPECT_EQ(meaning("a\nb", {.literal = true}).substr(0, 5), "error");
  EXPECT_EQ(meaning("", {.literal = true}), "empty");
}

TEST(Syntax, EscapedTextMatchesItself) {
  EXPECT_EQ(escape("a.b*[c](d){e}|f^$\\+?"), R"(a\.b\*\[c\]\(d\)\{e\}\|f\^\$\\\+\?)");
  for (const char* text : {"std::vector<int>(*p", "a && b || c", "#include <x>", "é[0]", "-~&#\"'"}) {
    EXPECT_EQ(meaning(escape(text)), concat("\"", text, "\""));
  }
}

}  // namespace
}  // namespace helve::regex
