#include "shell/arguments.h"

#include <gtest/gtest.h>

namespace helve::shell {
namespace {

std::string unlisted(std::string_view line, std::size_t covered = 1) {
  return unlisted_argument(parse_command_line(line).commands.at(0), covered).value_or("");
}

TEST(Arguments, ListedOptionsAreCovered) {
  for (const char* line :
       {"pytest -xvk name --tb=short -n4 tests", "pytest -k \"$x\"", "gcc -O2 -Iinclude -c a.c -o a.o",
        "go test -run X -count=1 ./...", "cmake -DCMAKE_BUILD_TYPE=Release -DFOO=ON -S . -B build",
        "sort -t, -k2,2n a", "ninja -C build -j4", "cargo test -- --nocapture --skip x",
        "npm run build -- --watch", "npm run build -- --watch=false", "clang-17 -c a.c",
        "ls --anything=x -zz", "docker logs -f web", "make -j 4 V=1", "xxd -l 8 a"})
    EXPECT_EQ(unlisted(line), "") << line;
}

TEST(Arguments, OtherOptionsOfDescribedProgramsAreNot) {
  EXPECT_EQ(unlisted("pytest -xp evil"), "the option -xp of pytest is not known to be harmless");
  EXPECT_EQ(unlisted("jest --globalSetup x.js"),
            "the option --globalSetup of jest is not known to be harmless");
  EXPECT_EQ(unlisted("xxd a b"), "xxd with b can run programs or write files");
  EXPECT_EQ(unlisted("cargo install x"), "cargo with install can run programs or write files");
  EXPECT_EQ(unlisted("cargo install x", 2), "");
  EXPECT_EQ(unlisted("npx tsc"), "npx runs a program that the rule does not name");
  for (const char* line :
       {"pytest --junitxml=.bashrc", "pytest --junitxml=../junit.xml", "gcc -o .bashrc a.c",
        "gcc -o Makefile a.c", "gcc @x", "gcc -fuse-ld=./x a.c", "cmake -DCC=./x .", "ninja -C /tmp",
        "go build -ldflags=-extld=./x", "docker ps -f x", "npm run build -- --config x",
        "cargo test -- --logfile x", "tar xf host:a.tar", "eslint $x", "eslint *.js"})
    EXPECT_NE(unlisted(line), "") << line;
}

TEST(Arguments, UndescribedOptionsAreCoveredIfNothingCanBeTheirValue) {
  for (const char* line :
       {"foo", "foo a/b.txt", "foo -v", "foo -v -w --all", "foo --jobs 4 a", "foo -j4 a", "foo --jobs=4",
        "foo --watch=false", "foo --verbose a", "foo --no-cache a", "foo a -- b", "foo -5 a"})
    EXPECT_EQ(unlisted(line), "") << line;
  for (const char* line : {"foo -v a", "foo --all a", "foo -ofile", "foo --out=file", "foo --eval", "foo a=b",
                           "foo 'a b'", "foo a.sh", "foo ./a", "foo bin/a", "foo sh a", "foo +x", "foo @x",
                           "foo http://x", "foo $x", "foo src/*.py", "foo 'a;b'"})
    EXPECT_NE(unlisted(line), "") << line;
}

TEST(Arguments, WordsOfTheRuleAreCovered) {
  EXPECT_EQ(unlisted("foo --config x", 3), "");
  EXPECT_EQ(unlisted("foo --config x --config y", 3),
            "the option --config of foo is not known to be harmless");
  EXPECT_EQ(unlisted("jest --config x a", 3), "");
}

TEST(Arguments, KindsOfValues) {
  const struct {
    std::string_view kind, text;
    bool fits;
  } rows[] = {{"", "any thing", true},    {"#", "12", true},          {"#", "5m", true},
              {"#", "x", false},          {"%", "c++20", true},       {"%", "./x", false},
              {"&", "a,b", true},         {"~", "a.o", true},         {"~", "build/app", true},
              {"~", "a.sh", false},       {"~", ".x.o", false},       {"~", "/tmp/a.o", false},
              {"@", "build", true},       {"@", "../x", false},       {"@", "/x", false},
              {"!", "A=ON", true},        {"!", "A=./x", false},      {"a|b*", "bcd", true},
              {"a|b*", "b/c", false},     {"a|#", "3", true},         {"^", "x[y]==1.2", true},
              {"^", "./x", false},        {"^", "x.whl", false},      {"link", "-s -w", true},
              {"link", "-X a.b=c", true}, {"link", "-extld=x", false}};
  for (const auto& row : rows)
    EXPECT_EQ(detail::fits_kind(row.kind, row.text), row.fits) << row.kind << " " << row.text;
}

}  // namespace
}  // namespace helve::shell
