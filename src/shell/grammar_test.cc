#include "shell/grammar.h"

#include <gtest/gtest.h>

#include <string>

namespace helve::shell {
namespace {

TEST(Grammar, AcceptsWhatBashParses) {
  for (const std::string_view text : {"",
                                      "# comment",
                                      "ls -la | grep x && pwd; ls &",
                                      "ls \\\n -l",
                                      "if ls; then pwd; elif ls\nthen ls; else ls; fi >f",
                                      "for x in a \"b c\" $d; do ls; done",
                                      "for x; do ls; done",
                                      "for ((i=0;i<3;i++)); do ls; done",
                                      "while read x; do ls; done <f",
                                      "case $x in (a|b) ls;; *) pwd;& c) ;; esac",
                                      "( ls; (pwd) )",
                                      "{ ls; }",
                                      "! ls | wc",
                                      "time -p ls",
                                      "((1+2))",
                                      "( (ls) )",
                                      "[[ -n $x && ( a == b* || $y =~ ^(a|b)$ ) ]]",
                                      "[[ a < b ]]",
                                      "a=1 b=(1 2 'x y') ls",
                                      "export a=(1)",
                                      "cat <<E\n)\nE\nls",
                                      "cat <<-'E' | wc\n\tx\n\tE",
                                      "ls $(pwd; ls) \"$(ls \")\")\" `pwd`",
                                      "ls ${x:-$(ls)} $((1+(2))) $[1]",
                                      "diff <(ls) <(pwd)",
                                      "ls 2>&1 >f &>g <&-",
                                      "cat <<<$x",
                                      "echo a#b ')' \\) if",
                                      "$'a\\'b'",
                                      "coproc ls"})
    EXPECT_TRUE(Grammar(text).accepts()) << text;
}

TEST(Grammar, RefusesWhatBashRefuses) {
  for (const std::string_view text : {"ls ;; pwd",
                                      "; ls",
                                      "&& ls",
                                      "ls &&",
                                      "ls | | wc",
                                      "ls & && pwd",
                                      "()",
                                      "(ls",
                                      "ls)",
                                      "{ ls",
                                      "{ }",
                                      "if ls; then fi",
                                      "then ls",
                                      "fi",
                                      "for x in a; do done",
                                      "while; do ls; done",
                                      "case x in a) ls",
                                      "[[ a b ]]",
                                      "((1",
                                      "ls 'a",
                                      "ls \"a",
                                      "ls `a",
                                      "ls $(",
                                      "ls $(;;)",
                                      "ls ${x",
                                      "ls >",
                                      "ls > 2>f",
                                      "a=(",
                                      "echo (",
                                      "ls &&& pwd",
                                      "ls ||| pwd",
                                      "in x",
                                      "f() { ls",
                                      "ls\n;;\npwd"})
    EXPECT_FALSE(Grammar(text).accepts()) << text;
}

TEST(Grammar, GivesUpOnDeepNesting) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "$((";
  EXPECT_FALSE(Grammar(text).accepts());
  EXPECT_FALSE(Grammar(std::string(50'000, '(')).accepts());
}

}  // namespace
}  // namespace helve::shell
