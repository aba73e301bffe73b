#include "policy/line_values.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "policy/testing.h"

namespace helve::policy {
namespace {

// The words of the last `rm` of the line, with their values.
Fields expanded(std::string_view line) {
  Surroundings surroundings{.workspace = "/work", .home = "/home/me"};
  LineValues values(line, "/work", surroundings);
  const shell::CommandLine parsed = shell::parse_command_line(line);
  for (const shell::SimpleCommand& command : parsed.commands) values.follow(command);
  const auto last =
      std::ranges::find_if(parsed.commands.rbegin(), parsed.commands.rend(), [](const auto& command) {
        return !command.words.empty() &&
               (command.words.front().text == "rm" || !command.words.front().literal);
      });
  return last == parsed.commands.rend() ? Fields() : values.expand_command(*last);
}

TEST(LineValues, ExpandsWhatTheLineTells) {
  const struct {
    std::string_view line;
    Fields fields;
  } rows[] = {
      {"rm \"a b\" 'c*'", {"rm", "a b", "c\\*"}},
      {"rm ~/x ~", {"rm", "/home/me/x", "/home/me"}},
      {"rm $HOME/* \"$PWD\"", {"rm", "/home/me/*", "/work"}},
      {"rm {a,b}/{c,d}", {"rm", "a/c", "a/d", "b/c", "b/d"}},
      {"x=/usr; rm \"$x\"/bin ${x}2", {"rm", "/usr/bin", "/usr2"}},
      {"x='a b'; rm $x \"$x\"", {"rm", "a", "b", "a b"}},
      {"x=; rm \"$x\"/", {"rm", "/"}},
      {"x=/a/b.c; rm ${x%.c} ${x##*/} ${x:0:2}", {"rm", "/a/b", "b.c", "/a"}},
      {"rm ${x:-/d} ${HOME:?}", {"rm", "/d", "/home/me"}},
      {"rm $(pwd) `echo a` $(dirname /usr/x)", {"rm", "/work", "a", "/usr"}},
      {"for d in a /b/*; do rm $d; done", {"rm", "a", "/b/*"}},
      {"set -- p q; rm $1 \"$@\"", {"rm", "p", "p", "q"}},
      {"x=(a b); rm \"${x[@]}\"", {"rm", "a", "b"}},
      {"c='rm -r'; $c x", {"rm", "-r", "x"}},
  };
  for (const auto& row : rows) EXPECT_EQ(expanded(row.line), row.fields) << row.line;
}

TEST(LineValues, UnknownValuesStayUnknown) {
  for (const char* line : {"rm $x", "read x; rm \"$x\"/y", ". ./env; rm \"$x\"/y", "rm \"$HOSTNAME\"/y",
                           "rm $(cat list)", "x=/; x=$(mktemp -d); rm \"$x\"", "rm ${!x}", "rm $((1+1))"})
    EXPECT_EQ(expanded(line), (Fields{"rm", std::string(LineValues::kUnknownField)})) << line;
}

TEST(LineValues, AVariableThatNothingSetsIsEmpty) {
  for (const char* line : {"rm \"$NO_SUCH_VARIABLE\"/y", "rm ${NO_SUCH_VARIABLE}/y", "rm $1/y",
                           "unset NO_SUCH_VARIABLE; rm \"$NO_SUCH_VARIABLE/y\""})
    EXPECT_EQ(expanded(line), (Fields{"rm", "/y"})) << line;
}

TEST(LineValues, FollowsDirectories) {
  const auto directory = [](std::string_view line) {
    Surroundings surroundings{.workspace = "/work", .home = "/home/me"};
    LineValues values(line, "/work", surroundings);
    const shell::CommandLine parsed = shell::parse_command_line(line);
    for (const shell::SimpleCommand& command : parsed.commands) values.follow(command);
    return values.directory_of(parsed.commands.back());
  };
  EXPECT_EQ(directory("cd src && cd .. && rm x"), "/work");
  EXPECT_EQ(directory("cd /usr; rm x"), "/usr");
  EXPECT_EQ(directory("cd; rm x"), "/home/me");
  EXPECT_EQ(directory("(cd /usr; ls); rm x"), "/work");
  EXPECT_EQ(directory("(cd /usr; rm x)"), "/usr");
  EXPECT_EQ(directory("x=$(cd /usr && pwd); rm x"), "/work");
  EXPECT_EQ(directory("cd $x; rm x"), "");
  EXPECT_EQ(directory("env -C /usr rm x"), "/usr");
}

}  // namespace
}  // namespace helve::policy
