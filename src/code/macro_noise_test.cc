#include "code/macro_noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "code/extract_testing.h"

namespace helve::code {
namespace {

std::string names(std::string_view text) { return names_of(extract_names(text, "cpp")); }

TEST(MacroNoise, KeepsEveryByteInItsPlace) {
  const std::string_view text = "class EXPORT Name {\n};\nAPI_X void f();\n#if HAS(<x>)\n#endif\n";
  const std::string blanked = without_macro_noise(text);
  ASSERT_EQ(blanked.size(), text.size());
  for (std::size_t i = 0; i < text.size(); ++i) EXPECT_EQ(blanked[i] == '\n', text[i] == '\n') << i;
  EXPECT_EQ(blanked.find("Name"), text.find("Name"));
}

TEST(MacroNoise, LeavesTextWithoutMacrosAlone) {
  EXPECT_EQ(without_macro_noise("class Name : Base {};\nint f(int a);\n"), "");
  EXPECT_EQ(without_macro_noise("// class EXPORT Name\nconst char* s = \"class EXPORT Name\";\n"), "");
}

TEST(MacroNoise, ExportedClassesHaveTheirOwnName) {
  EXPECT_EQ(names("class LEVELDB_EXPORT DB : public Base { void f(); };"), "class DB, method f");
  EXPECT_EQ(names("struct ATTRIBUTE(x, (y)) S { int a; };"), "struct S, field a");
  EXPECT_EQ(names("class NAME final : Base {};"), "class NAME");
  EXPECT_EQ(names("enum class STATE { A };"), "enum STATE, enumerator A");
}

TEST(MacroNoise, SpecifiersBeforeAFunction) {
  EXPECT_EQ(names("FMT_API void f(int x);\nEXTERN_C int g();\n"), "function f, function g");
  EXPECT_EQ(names("static FORCE_INLINE std::string h() { return {}; }"), "function h");
  EXPECT_EQ(names("struct S { FMT_CONSTEXPR S(int) : a(0) {} int a; };"), "struct S, method S, field a");
}

TEST(MacroNoise, SpecifiersBeforeADestructor) {
  EXPECT_EQ(names("struct S { int a; FMT_CONSTEXPR20 ~S() { f(); } };"), "struct S, field a, method ~S");
}

TEST(MacroNoise, TypesInCapitalsStay) {
  EXPECT_EQ(names("DWORD counter;\nHANDLE open(DWORD x);\nBOOL ok() { return 1; }"),
            "variable counter, function open, function ok");
}

TEST(MacroNoise, AnnotationsAfterDeclarations) {
  EXPECT_EQ(
      names("struct S { int x GUARDED_BY(mu); T* const y GUARDED_BY(mu) = 0; void f() REQUIRES(mu); };"),
      "struct S, field x, field y, method f");
  EXPECT_EQ(names("void f()\n    EXCLUSIVE_LOCKS_REQUIRED(mu) {\n}"), "function f");
}

TEST(MacroNoise, MacrosOnTheirOwnLine) {
  EXPECT_EQ(names("BEGIN_NAMESPACE\nint f();\nEND_NAMESPACE\n"), "function f");
  EXPECT_EQ(names("struct S {\n  Q_OBJECT\n  int a;\n};"), "struct S, field a");
  EXPECT_EQ(names("enum E {\n  FIRST_ONE\n};"), "enum E, enumerator FIRST_ONE");
}

TEST(MacroNoise, KernelMarkers) {
  EXPECT_EQ(names("static void __sched notrace f(void) { }\nint g(const char __user *p) { return 0; }"),
            "function f, function g");
}

TEST(MacroNoise, BracesOpenedInBothBranches) {
  const auto analysis = extract_names(
      "#ifdef A\nint f(int a) {\n#else\nint f(long a) {\n#endif\n  return 0;\n}\nint g() { return 1; }\n",
      "c");
  EXPECT_EQ(analysis.error_regions, 0U);
  EXPECT_EQ(names_of(analysis), "function f, function f, function g");
}

TEST(MacroNoise, AConditionInTheHeadOfAClass) {
  EXPECT_EQ(names("template <typename T>\nclass Store\n#if OLD\n    // a comment; with { these }\n    : "
                  "public Base<T>\n"
                  "#endif\n{\n  void put(T x);\n};\nint after;"),
            "class Store, method put, variable after");
  EXPECT_EQ(names("struct S;\n#if A\nint a;\n#endif\ntemplate <class T>\n#if B\nvoid f(T) {}\n#endif\n"),
            "variable a, function f");
}

TEST(MacroNoise, IncludesTheOtherBranch) {
  const auto analysis = extract_names(
      "#ifdef A\nint f(void) { if (1) {\n#else\nint h(void) { return 2; }\nint f(void) { {\n#endif\n} return "
      "0; }\n",
      "c");
  EXPECT_THAT(names_of(analysis), ::testing::HasSubstr("function h"));
}

}  // namespace
}  // namespace helve::code
