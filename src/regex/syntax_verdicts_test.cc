// Checks which patterns are accepted and which rejected. All expectations were recorded from ripgrep 15.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "regex/syntax.h"

namespace helve::regex {
namespace {

struct Group {
  std::string_view about;
  std::vector<std::string_view> accepted;
  std::vector<std::string_view> refused;
};

std::vector<Group> verdicts() {
  return {
      {"Text",
       {"",   "a",  "abc", "a b", "é漢😀", "]", "}", "a]", "a}", "#", "&", "~", "-", "a-b",
        "<>", "\"", "'",   "/",   ":",     ",", "!", "@",  "%",  "`", ";", "=", "_"},
       {}},
      {"Anchors and looks",
       {"^",
        "$",
        "^$",
        "^a$",
        "^*",
        "$+",
        "^{2}",
        R"(\b*)",
        R"(\A)",
        R"(\z)",
        R"(\Aa\z)",
        R"(\b)",
        R"(\B)",
        R"(\bfoo\b)",
        R"(\<foo\>)",
        R"(\b{start})",
        R"(\b{end})",
        R"(\b{start-half})",
        R"(\b{end-half})",
        R"(\b{2})",
        R"((?x)\b{ start })",
        R"(\b{1,2})"},
       {R"(\Z)", R"(\G)", R"(\K)", R"(\b{middle})", R"(\b{)", R"(\b{start)", R"(\b{ start})", R"(\B{start})",
        R"(\b{-})"}},
      {"Alternation", {"a|b", "a|", "|a", "|", "||", "a||b", "(|)", "(a|b)|c", "(?:|a)*"}, {}},
      {"Groups",
       {"()", "(a)", "((a))", "(?:a)", "(?:)", "(?P<n>a)", "(?<n>a)", "(?<n>a)(?<m>b)", "(?P<a1>b)",
        "(?P<a.b[0]>c)", "(?P<_>a)", "(?P<é>a)", "(?<n>)"},
       {"(",         ")",          "(a",      "a)",      "(a))",    "((a)",   "(?",
        "(?:",       "(?:a",       "(?)",     "(?P<n>a", "(?P<>a)", "(?<>a)", "(?P<n>a)(?P<n>b)",
        "(?P<1a>b)", "(?P<a-b>c)", "(?P<n",   "(?P<",    "(?'n'a)", "(?P=n)", "(?P>n)",
        "(?&n)",     "(?|a|b)",    "(?#c)",   "(?>a)",   "(?=a)",   "(?!a)",  "(?<=a)",
        "(?<!a)",    "a(?=b)c",    "(?(1)a)", "(*a)",    "(+)",     "(?+)",   "(?0)"}},
      {"Flags",
       {"(?i)", "(?i)a", "(?i:a)", "(?-i)a", "(?-i:a)", "(?im)a", "(?i-m)a", "(?imsUuxR)a", "(?-imsUuxR)a",
        "(?s-m:a)", "(?R)a", "(?x)", "a(?i)", "a(?i)b|c", "(?u)a", "(?-x: a)"},
       {"(?ii)a", "(?i-i)a", "(?i-)a", "(?-)a", "(?--i)a", "(?-:a)", "(?i", "(?i-", "(?q)a", "(?I)a", "(?L)a",
        "(?a)a", "(?i)*", "(?i)+a", "(?i){2}", "(?i )a", "(?^i)a", "(?u-u)", "(?n)a"}},
      {"Repetition",
       {"a*",       "a+",      "a?",       "a*?",        "a+?",         "a??",        "a**",       "a*+",
        "a++",      "a?+",     "a***",     "a{2}",       "a{2,}",       "a{2,5}",     "a{2}?",     "a{2,5}?",
        "a{0}",     "a{0,0}",  "a{0,}",    "a{ 2 }",     "a{2, 5}",     "a{ 2 , 5 }", "a{2 ,}",    ".*",
        ".+?",      "[a]*",    R"(\d{3})", "(a*)*",      "(a{2}){3}",   "x{2}{3}",    "x{2}*",     R"(\{)",
        R"(\{2\})", "a{1000}", "a{01}",    "(?x)a{1 2}", "(?x)a { 2 }", "(?x)a* ?",   "(?x)a{2} ?"},
       {"a{,5}",
        "a{,}",
        "a{}",
        "a{",
        "a{2",
        "a{2,",
        "a{2,5",
        "a{5,2}",
        "a{-1}",
        "a{a}",
        "a{2,b}",
        "a{2, }",
        "a{99999999999}",
        "a{2,99999999999}",
        "*",
        "+",
        "?",
        "{",
        "{2}",
        "{}",
        "{a}",
        "*a",
        "|*",
        "(|*)",
        "(?:*)",
        "a|*",
        "foo{",
        "foo{bar}",
        "${x}",
        "a{2}{",
        "a{1.5}",
        "a{1 2}"}},
      {"Escapes",
       {R"(\\)",           R"(\.)",         R"(\*)",
        R"(\()",           R"(\))",         R"(\[)",
        R"(\])",           R"(\})",         R"(\|)",
        R"(\^)",           R"(\$)",         R"(\?)",
        R"(\+)",           R"(\#)",         R"(\&)",
        R"(\-)",           R"(\~)",         R"(\%)",
        R"(\/)",           R"(\!)",         R"(\")",
        R"(\')",           R"(\ )",         R"(\_)",
        R"(\@)",           R"(\:)",         R"(\,)",
        R"(\=)",           R"(\;)",         R"(\`)",
        R"(\a)",           R"(\f)",         R"(\t)",
        R"(\v)",           R"(\r)",         R"(\x41)",
        R"(\x{41})",       R"(\x{10FFFF})", R"(\x{000000000041})",
        R"(\xFF)",         R"(\u00e9)",     R"(\u{e9})",
        R"(\U0001F600)",   R"(\U{1F600})",  R"((?x)\x 4 1)",
        R"((?x)\x{ 4 1 })"},
       {R"(\)",        R"(a\)",
        R"(\n)",       R"(\e)",
        R"(\c)",       R"(\cA)",
        R"(\h)",       R"(\H)",
        R"(\R)",       R"(\N)",
        R"(\Q)",       R"(\E)",
        R"(\X)",       R"(\C)",
        R"(\i)",       R"(\y)",
        R"(\Y)",       R"(\é)",
        R"(\0)",       R"(\1)",
        R"(\9)",       R"(\012)",
        R"(\k<n>)",    R"(\g1)",
        R"(\x)",       R"(\x4)",
        R"(\x4g)",     R"(\x{)",
        R"(\x{})",     R"(\x{41)",
        R"(\x{g})",    R"(\x{110000})",
        R"(\x{D800})", R"(\x{fffffffff})",
        R"(\u)",       R"(\u00e)",
        R"(\uD800)",   R"(\U)",
        R"(\U1F600)",  R"(\U00110000)"}},
      {"Classes by letter",
       {R"(\d)", R"(\D)", R"(\s)", R"(\S)", R"(\w)", R"(\W)"},
       {R"(\l)", R"(\L)", R"(\m)", R"(\o)"}},
      {"Properties",
       {R"(\pL)",
        R"(\pN)",
        R"(\PL)",
        R"(\p{L})",
        R"(\P{L})",
        R"(\p{Lu})",
        R"(\p{lu})",
        R"(\p{isLu})",
        R"(\p{uppercase_letter})",
        R"(\p{Upper Case-Letter})",
        R"(\p{Greek})",
        R"(\p{Grek})",
        R"(\p{sc=Greek})",
        R"(\p{sc:Greek})",
        R"(\p{sc!=Greek})",
        R"(\p{Script=Greek})",
        R"(\p{scx=Greek})",
        R"(\p{gc=Lu})",
        R"(\p{General_Category=Lu})",
        R"(\p{Alphabetic})",
        R"(\p{alpha})",
        R"(\p{White_Space})",
        R"(\p{space})",
        R"(\p{Emoji})",
        R"(\p{Extended_Pictographic})",
        R"(\p{age=6.0})",
        R"(\p{age=V6_0})",
        R"(\p{gcb=Extend})",
        R"(\p{wb=Numeric})",
        R"(\p{sb=Lower})",
        R"(\p{Any})",
        R"(\p{Assigned})",
        R"(\p{ASCII})",
        R"(\p{LC})",
        R"(\p{Cn})",
        R"(\p{sc})",
        R"(\p{cf})",
        R"(\p{digit})",
        R"(\p{punct})",
        R"(\p{Hex})",
        R"(\p{XIDS})",
        R"((?x)\p{ L u })",
        R"((?x)\p L)"},
       {R"(\p)",           R"(\p{)",        R"(\p{})",
        R"(\p{L)",         R"(\p1)",        R"(\p\)",
        R"(\pé)",          R"(\p{^L})",     R"(\p{Gree})",
        R"(\p{scx=Gree})", R"(\p{gc=Foo})", R"(\p{Alphabetic=yes})",
        R"(\p{age=0.1})",  R"(\p{gcb=XX})", R"(\p{blk=Arrows})",
        R"(\p{InGreek})",  R"(\p{L&})",     R"(\p{Cs})",
        R"(\p{isc})",      R"(\p{Zzzz})",   R"(\p{posix_alpha})",
        R"((?-u)\pL)",     R"((?-u:\p{L}))"}},
      {"Brackets",
       {"[a]",
        "[^a]",
        "[]a]",
        "[^]a]",
        "[a]]",
        "[a[b]]",
        "[a-z]",
        "[a-a]",
        "[a-]",
        "[-a]",
        "[-]",
        "[--]",
        "[---]",
        "[--a]",
        "[a--]",
        "[a--b]",
        "[a-b-c]",
        "[+--]",
        "[*-/]",
        "[%--]",
        "[^-]",
        "[^-a]",
        "[^--]",
        "[.]",
        "[*]",
        "[$^]",
        "[|]",
        "[()]",
        "[{}]",
        "[a^]",
        "[^^]",
        R"([\]])",
        R"([\^])",
        R"([\-])",
        R"([a\-z])",
        R"([\w])",
        R"([\w-])",
        R"([\d\s])",
        R"([^\W])",
        R"([\x41-\x5A])",
        R"([\x{41}-\x{5A}])",
        R"([\u0041])",
        R"([\na])",
        R"([\pL])",
        R"([\p{Greek}\d])",
        R"([\P{L}])",
        "[é-ü]",
        "[a-é]",
        "[ ]",
        "[#]",
        "[[a]-[b]]",
        "[Z-[]",
        R"([\--a])",
        R"([!-\-])"},
       {"[",       "[]",        "[a",        "[^]",     "[^",      "[[]",     "[[]]",    "[a[b]",
        "[z-a]",   R"([\w-a])", R"([a-\w])", R"([\b])", R"([\B])", R"([\A])", R"([\<])", R"([a-\b])",
        R"([\n])", "[ü-é]",     R"([\1])",   R"([\e])", R"([\)",   "[a-",     R"([a\)",  "[a-[b]]"}},
      {"POSIX classes",
       {"[[:alpha:]]", "[[:^alpha:]]", "[[:alnum:][:punct:]]", "[:alpha:]", "[[:foo:]]", "[[:alpha]]",
        "[[:Alpha:]]", "[[:word:]]", "[[:ascii:]]", "[[:xdigit:]]", "[^[:space:]]", "[[:digit:]-z]",
        "[[: alpha:]]", "[[.a.]]", "[[=a=]]", "[[:]]", "[[::]]"},
       {"[[:alpha:]", "[[:alpha:", "[a-[:digit:]]"}},
      {"Set operations",
       {"[a&&b]",
        "[a-z&&[^aeiou]]",
        "[a-z&&]",
        "[&&a]",
        "[&&]",
        "[a&b]",
        "[a&&&b]",
        "[a&&&&b]",
        "[a-z--b]",
        R"([\w--\d])",
        "[a~~b]",
        "[a~b]",
        "[a~~]",
        "[a&&b--c~~d]",
        "[[a-z]&&[b-c]--[c]]",
        "[^a&&b]",
        "[a&&^b]",
        R"([\pL--\p{Lu}])",
        R"([\w&&[^\d_]])",
        "[^[^a]]",
        "[^[^[^a]]]"},
       {"[a&&b", "[a&&[b]"}},
      {"Bytes",
       {"(?-u)a", R"((?-u)\xFF)", R"((?-u)\x{FF})", "(?-u)é", R"((?-u)[\xFF])", R"((?-u)[\x80-\xFF])",
        "(?-u)[^a]", "(?-u).", R"((?-u)\w)", R"((?-u)\W)", R"((?-u)\b)", R"((?-u:\b{start}))",
        "(?-u)[[:alpha:]]", "(?-u)[[:^alpha:]]", R"((?-u)(?u)\pL)", R"((?-u:a)\pL)", "(?i-u)k",
        R"((?-u)\u00e9)"},
       {"(?-u)[é]", R"((?-u)[\x{FF}])", "(?-u)[a-é]"}},
      {"Space and comments",
       {"(?x) a b ", "(?x)a # comment\n", "(?x)a # comment\nb", "(?x)[ a ]", "(?x)[a # ]\n]", "(?x)( ?:a)",
        R"((?x)\ )", R"((?x)a\#b)", "(?x: a ) b", "(?x)a(?-x) b", "(?x)[a - z]", "(?x)[a -]",
        R"((?x)\p{Greek} +)", "(?x)\n", "(?x)(a) {2}"},
       {"(?x)(? :a)", "(?x) * ", "(?x)(?i) *"}},
      {"Line breaks",
       {R"([\r\n])", R"([^\n])", R"([\n&&a])", "(?s).", R"(\n{0})", R"(\n|a)", R"([a\n]b)"},
       {"\n", "a\nb", R"(a\nb)", R"(\r\n)", R"(\x0A)", R"(\x{a})", R"((?s:.)\n)", R"(\n?)", R"(\n*)",
        R"((?-u)\n)", R"((?-u)[\n])", R"((?i)\n)", R"((?i)[\n])"}},
      {"Code and globs",
       {"foo()",       "std::vector<int>",
        "a[i]",        "x += 1",
        "x++",         "i++;",
        "src/*.cc",    "src/**/*.cc",
        "$HOME",       "#include <a>",
        "/* a */",     "// a",
        "a ? b : c",   "a && b",
        "a || b",      "!a",
        "@Test",       R"(C:\dir)",
        R"(\\server)", R"(foo\()",
        R"(\bfoo\()",  "a.b(c)",
        "a->b",        "() =>",
        "[0]",         "<T>",
        "&mut self"},
       {"foo(",
        "foo(bar",
        "std::vector<int>(*p",
        "a[",
        "if (x) {",
        "fn main() {",
        "*.cc",
        "**/*.ts",
        "${HOME}",
        "#define X(",
        "map[string]interface{}",
        "interface{}",
        "{\"a\": 1}",
        "{{ x }}",
        R"(C:\Users)",
        R"(printf("%d\n"))",
        "=> {",
        "() => {",
        "[][]int",
        "a=(b",
        R"(regex\)",
        "\"(",
        "'['"}},
  };
}

TEST(SyntaxVerdicts, AgreeWithRipgrep) {
  for (const Group& group : verdicts()) {
    for (const std::string_view pattern : group.accepted) {
      const auto hir = parse(pattern, {});
      EXPECT_TRUE(hir.has_value()) << group.about << ": " << pattern << "\n" << hir.error().message;
    }
    for (const std::string_view pattern : group.refused) {
      EXPECT_FALSE(parse(pattern, {}).has_value()) << group.about << ": " << pattern;
    }
  }
}

TEST(SyntaxVerdicts, LineBreaksAreAcceptedAcrossLines) {
  for (const char* pattern : {"\n", "a\\nb", "[\\n]", "\\r\\n", "(?s:.)\\n"}) {
    EXPECT_TRUE(parse(pattern, {.across_lines = true}).has_value()) << pattern;
    EXPECT_FALSE(parse(pattern, {}).has_value()) << pattern;
  }
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (; times > 0; --times) result += text;
  return result;
}

TEST(SyntaxVerdicts, NestAsDeepAsRipgrepButNoDeeper) {
  struct Deep {
    std::string_view open;
    std::string_view middle;
    std::string_view close;
    std::size_t most;
  };
  for (const Deep& deep : {Deep{"(", "a", ")", 249}, Deep{"(", "ab", ")", 248}, Deep{"(a", "", ")", 125},
                           Deep{"(a|", "", ")", 124}, Deep{"[", "a", "]", 249}, Deep{"", "a", "*", 249},
                           Deep{"", "[a", "&&a", 248}}) {
    const auto nests = [&](std::size_t times) {
      std::string pattern = repeated(deep.open, times).append(deep.middle) + repeated(deep.close, times);
      if (deep.middle.starts_with('[')) pattern += ']';
      return parse(pattern, {}).has_value();
    };
    EXPECT_TRUE(nests(deep.most)) << deep.open << deep.middle;
    EXPECT_FALSE(nests(deep.most + 1)) << deep.open << deep.middle;
  }
}

TEST(SyntaxVerdicts, HugePatternsAreRejectedAndLongOnesAreNot) {
  EXPECT_TRUE(parse(repeated("literal ", 16'000), {}).has_value());
  EXPECT_FALSE(parse(repeated("literal ", 17'000), {}).has_value());
  EXPECT_TRUE(parse(repeated("\\w", 1'000), {}).has_value());
  const auto too_large = parse(repeated("\\w", 10'000), {});
  ASSERT_FALSE(too_large.has_value());
  EXPECT_THAT(too_large.error().message, ::testing::HasSubstr("too many large classes"));
  EXPECT_FALSE(parse("[" + repeated("\\w", 10'000) + "]", {}).has_value());
  EXPECT_FALSE(parse(repeated("(", 100'000), {}).has_value());
  EXPECT_FALSE(parse(repeated("[", 100'000), {}).has_value());
}

}  // namespace
}  // namespace helve::regex
