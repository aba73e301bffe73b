// Tests of lines whose commands cannot be determined from the text alone.
#include "shell/command_line.h"

#include <gtest/gtest.h>

#include "shell/command_line_testing.h"

namespace helve::shell {
namespace {

TEST(CommandLineDoubt, NonLiteralProgramIsUnknown) {
  const CommandLineRow rows[] = {
      {"$x", {"~$x"}, "the program's name is not literal: $x"},
      {"${x} a", {"~${x} a"}, "the program's name is not literal: ${x}"},
      {"$(echo ls)", {"~$(echo ls)", "echo ls"}, "the program's name is not literal: $(echo ls)"},
      {"x=ls; $x", {"x=ls", "~$x"}, "the program's name is not literal: $x"},
      {"\"$@\"", {"~\"$@\""}, "the program's name is not literal: \"$@\""},
      {"/bin/l?", {"~/bin/l?"}, "the program's name is not literal: /bin/l?"},
      {"{ls,-la}", {}, "its syntax cannot be parsed"},
      {"l{s,s}", {"~l{s,s}"}, "the program's name is not literal: l{s,s}"},
      {"~/bin/x", {"~~/bin/x"}, "the program's name is not literal: ~/bin/x"},
      {"ls$IFS-la", {"~ls$IFS-la"}, "the program's name is not literal: ls$IFS-la"},
      {"''", {"<>"}, "the program's name is empty"},
      {"<(x)", {"~<(x)", "x"}, "the program's name is not literal: <(x)"},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

TEST(CommandLineDoubt, FunctionMakesTheRestUnknown) {
  const CommandLineRow rows[] = {
      {"f() { ls; }; f", {"ls", "f"}, "it defines a function, which can stand for any command after it"},
      {"function ls { x; }", {"x"}, "it defines a function, which can stand for any command after it"},
      {"ls() (x)", {"x"}, "it defines a function, which can stand for any command after it"},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

TEST(CommandLineDoubt, ArithmeticWithVariablesIsUnknown) {
  const CommandLineRow rows[] = {
      {"echo $((x))",
       {"echo ~$((x))"},
       "arithmetic with variables can run commands that are in their values"},
      {"echo $((a[$(x)]))",
       {"echo ~$((a[$(x)]))", "x"},
       "arithmetic with variables can run commands that are in their values"},
      {"(( x++ ))", {}, "arithmetic with variables can run commands that are in their values"},
      {"let x=1", {"let x=1"}, "arithmetic with variables can run commands that are in their values"},
      {"for ((i=0; i<3; i++)); do ls; done",
       {"ls"},
       "arithmetic with variables can run commands that are in their values"},
      {"[[ $x -eq 0 ]]", {}, "[[ … -eq … ]] with variables can run commands that are in their values"},
      {"[[ -v a[$(x)] ]]", {"x"}, "[[ -v evaluates the subscript of an array"},
      {"test -v \"a[$x]\"", {"test -v ~\"a[$x]\""}, "test -v evaluates the subscript of an array"},
      {"echo ${a[i]}", {"echo ~${a[i]}"}, "the subscript of an array is evaluated as arithmetic"},
      {"echo ${x:y}",
       {"echo ~${x:y}"},
       "arithmetic with variables can run commands that are in their values"},
      {"a[i]=1", {"a=~1"}, "the subscript of an array is evaluated as arithmetic"},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

TEST(CommandLineDoubt, ExpansionsThatEvaluateAreUnknown) {
  const CommandLineRow rows[] = {
      {"echo ${!x}", {"echo ~${!x}"}, "${!…} uses the value of one variable as the name of another"},
      {"echo ${x@P}", {"echo ~${x@P}"}, "${…@P} runs the commands in a variable's value"},
      {"echo \"${x:-\"y\"}\"",
       {"echo ~\"${x:-\"y\"}\""},
       "quotes within an expansion within quotes cannot be parsed"},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

TEST(CommandLineDoubt, SyntaxErrorsAreUnknown) {
  const CommandLineRow rows[] = {
      {"ls \"", {"ls"}, "its syntax cannot be parsed"},
      {"ls '", {"ls"}, "its syntax cannot be parsed"},
      {"ls `x", {"ls ~`x"}, "its syntax cannot be parsed"},
      {"ls $(x", {"ls ~$(x", "x"}, "its syntax cannot be parsed"},
      {"ls (x)", {"x", "ls"}, "its syntax cannot be parsed"},
      {"ls )", {"ls"}, "its syntax cannot be parsed"},
      {"if ls; then", {"ls"}, "its syntax cannot be parsed"},
      {"ls ;; x", {"ls", "x"}, "its syntax cannot be parsed"},
      {"ls <<EOF", {"ls"}, "its syntax cannot be parsed"},
      {"ls <<A <<B\n1\nA\n2\nB", {"ls <B <<<1\n>", "2", "B"}, "its syntax cannot be parsed"},
      {"cat <<EOF; x\na\nEOF", {"cat"}, "its syntax cannot be parsed"},
      {"for x in a; { ls; }", {}, "its syntax cannot be parsed"},
      {"ls <> a", {"ls >a"}, "its syntax cannot be parsed"},
      {"ls {fd}>a", {"ls {fd} >a"}, "a redirection stores its descriptor in a variable"},
      {"a=1 >b", {"a=1 <> >b"}, "its syntax cannot be parsed"},
      {"ls \\\\", {"ls \\"}},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

TEST(CommandLineDoubt, TextSkippedByTheGrammarIsUnknown) {
  const CommandLineRow rows[] = {
      {"echo a \\ b", {"echo a b"}, "a part of it cannot be parsed"},
      {"ls !x", {"ls !x"}},
      {"ls; !x", {"ls", "!x"}},
      {"ls |{x", {"ls"}, "its syntax cannot be parsed"},
      {"x\\\n=1 rm", {"x=1 =1 rm"}, "it is unclear where a word ends"},
      {"$\\\n(x)", {"x", "<$>"}, "its syntax cannot be parsed"},
      {"ls $\\\n(x)", {"ls <$>", "x"}, "its syntax cannot be parsed"},
      {"ls ${x\\\n@P}", {"ls"}, "its syntax cannot be parsed"},
      {"a=()b rm x", {"a=~() b rm x"}, "an array cannot be parsed"},
      {"ls >&-a", {"ls a >&-"}, "a redirection cannot be parsed"},
      {"echo `a # b` c", {"echo ~`a # b`", "a"}, "its syntax cannot be parsed"},
      {"echo `a \\`b\\``",
       {"echo ~`a \\`b\\``", "a"},
       "a backslash within backticks means different things to different shells"},
      {"cat <<EOF\na\\\nEOF\nEOF", {"cat", "EOF"}, "it is unclear where a here-document ends"},
      {"ls; time { x; }", {"ls", "time { x", "time> { x", "}"}, "the words after time cannot be parsed"},
      {"time x=1 rm y", {"time x=1 rm y", "time> x=1 rm y"}, "the words after time cannot be parsed"},
      {"time -o rm y", {"time -o rm y", "time> -o rm y"}, "the words after time cannot be parsed"},
      {"$(( ls ) | (x))", {}, "its syntax cannot be parsed"},
      {"echo $\"hi\"", {"echo ~$\"hi\" hi"}, "it is unclear where a word ends"},
      {"cat a<(x)", {"cat ~a<(x) ~<(x)", "x"}, "it is unclear where a word ends"},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

TEST(CommandLineDoubt, ReportsOddCharacters) {
  struct Row {
    std::string_view line;
    std::string_view reason;
  };
  constexpr Row kRows[] = {
      {"ls\rx", "U+000D"},
      {"ls\x1b[0m", "a control character, U+001B, at offset 2"},
      {std::string_view("ls\0x", 4), "U+0000"},
      {"ls\vx", "U+000B"},
      {"ls\x7f", "U+007F"},
      {"ls\xC2\x85x", "U+0085"},
      {"ls\xC2\xA0-la", "white space that a shell does not split at, U+00A0"},
      {"ls\xE2\x80\xA8x", "a line separator, U+2028"},
      {"ls\xE2\x80\xA9x", "a line separator, U+2029"},
      {"ls\xE3\x80\x80x", "U+3000"},
      {"ls \xE2\x80\xAE txt", "a character that changes the direction of writing, U+202E"},
      {"ls \xE2\x81\xA6x", "U+2066"},
      {"ls \xE2\x80\x8Bx", "an invisible character, U+200B"},
      {"ls \xEF\xBB\xBFx", "U+FEFF"},
      {"ls \xF3\xA0\x81\xA1", "a tag character, U+E0061"},
      {"ls \xFF", "a byte that is not UTF-8, at offset 3"},
      {"ls \xC0\xAF", "a byte that is not UTF-8"},
      {"ls \xED\xA0\x80", "a byte that is not UTF-8"},
      {"sh -c $'ls\\rx'", "U+000D"},
  };
  for (const Row& row : kRows)
    EXPECT_TRUE(join(parse_command_line(row.line).unknown, "; ").contains(row.reason)) << row.reason;
  EXPECT_EQ(difference({"echo \"grüße 漢字 🙂\" é\tx", {"echo <grüße 漢字 🙂> é x"}}), "");
}

TEST(CommandLineDoubt, TellsMisreadPartsFromOtherDoubts) {
  for (const std::string_view line : {"echo $(", "if true; then ls", "[[ a", "sh -c 'ls )'", "env -S \"'\""})
    EXPECT_TRUE(parse_command_line(line).is_misread) << line;
  for (const std::string_view line : {"ls", "$parsed x", "unclear $x | sh -c \"$parsed\""})
    EXPECT_FALSE(parse_command_line(line).is_misread) << line;
  EXPECT_TRUE(parse_command_line("ls", Dialect::kPowerShell).is_misread);
}

TEST(CommandLineDoubt, IsBounded) {
  const auto reasons = [](std::string_view line) { return join(parse_command_line(line).unknown, "; "); };
  const auto repeated = [](std::string_view piece, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += piece;
    return text;
  };
  EXPECT_TRUE(reasons(repeated("x", 65537)).contains("longer than 64 KiB"));
  EXPECT_EQ(reasons(repeated("ls;", 1000)), "");
  EXPECT_TRUE(reasons(repeated("ls;", 1001)).contains("more than 1000 commands"));
  EXPECT_EQ(parse_command_line(repeated("ls;", 1001)).commands.size(), 1000U);
  EXPECT_TRUE(reasons(concat(repeated("$(", 100), "x", repeated(")", 100))).contains("nested too deeply"));
  EXPECT_TRUE(
      reasons(concat("echo ", repeated("$(echo ", 100), repeated(")", 100))).contains("nested too deeply"));
  EXPECT_TRUE(reasons(concat(repeated("{ ", 100), "x;", repeated(" };", 100))).contains("nested too deeply"));
  EXPECT_TRUE(reasons(concat(repeated("env ", 100), "x")).contains("nested too deeply"));
  EXPECT_TRUE(
      reasons(concat("echo ", repeated("${x:-", 100), repeated("}", 100))).contains("nested too deeply"));
  // Slow input must still terminate, and must never count as known.
  EXPECT_NE(reasons(repeated("(", 60000)), "");
  EXPECT_NE(reasons(repeated("$((", 20000)), "");
  EXPECT_NE(reasons(repeated("<<E ", 16000)), "");
  EXPECT_NE(reasons(repeated("\"`'", 20000)), "");
  EXPECT_NE(reasons(repeated("a=(", 20000)), "");
}

TEST(CommandLineDoubt, DialectsDifferLikeTheirShells) {
  const CommandLineRow posix[] = {
      {"[[ a && x ]]", {}, "[[ is a command in one shell"},
      {"((x))", {}, "(( is a subshell in one shell"},
      {"$'ls'", {"ls"}, "$'…' means different things"},
      {"a &>b c", {"a c &>b"}, "&> is a redirection in one shell"},
      {"time -o f ls", {"time -o f ls", "time> ls"}},
      {"ls | x", {"ls", "x"}},
  };
  for (const CommandLineRow& row : posix) EXPECT_EQ(difference(row, Dialect::kPosix), "");
  const CommandLineRow zsh[] = {
      {"=ls x", {"=ls x"}, "a word begins with ="},
      {"cat =(x)", {"x", "cat"}, "its syntax cannot be parsed"},
      {"ls *(e:'x':)", {"e:x:", "ls"}, "its syntax cannot be parsed"},
      {"ls $x[$(y)]", {"ls ~$x[$(y)]", "y"}, "zsh evaluates the text in brackets"},
      {"echo ${(e)x}", {"echo"}, "its syntax cannot be parsed"},
      {"repeat 3 ls", {"repeat 3 ls"}, "\"repeat\" is in an unexpected place"},
      {"noglob ls", {"noglob ls"}, "\"noglob\" is in an unexpected place"},
      {"- ls", {"- ls"}, "\"-\" is in an unexpected place"},
      {"<f", {"<f"}, "zsh runs a program for a redirection"},
      {"ls &! x", {"ls", "x"}, "is an operator of zsh only"},
      {"12>f ls", {"ls >f"}, "the descriptor of a redirection cannot be parsed"},
      {"zmodload x", {"zmodload x"}, "zmodload of zsh can run or change anything"},
      {"ls -la | wc", {"ls -la", "wc"}},
  };
  for (const CommandLineRow& row : zsh) EXPECT_EQ(difference(row, Dialect::kZsh), "");
  EXPECT_EQ(parse_command_line("ls", Dialect::kPowerShell).unknown,
            std::vector<std::string>{"PowerShell commands cannot be parsed"});
  EXPECT_EQ(parse_command_line("ls", Dialect::kCmd).unknown,
            std::vector<std::string>{"cmd commands cannot be parsed"});
}

TEST(CommandLineDoubt, HereDocumentsEndWhereTheShellEndsThem) {
  const CommandLineRow rows[] = {
      {"cat <<-EOF\n\ta\n\tEOF\ny", {"cat <<<\ta\n>", "y"}},
      {"cat <<E\nE\nx", {"cat <<<>", "x"}},
      {"cat <<E\nE \nE\nx", {"cat", "E", "x"}, "it is unclear where a here-document ends"},
      {"cat <<E\na\\\nE\nx\nE", {"cat", "x", "E"}, "it is unclear where a here-document ends"},
      {"cat <<EF\nE\\\nF\nx\nEF", {"cat"}, "it is unclear where a here-document ends"},
      {"cat <<E | x <<F\n1\nE\n2\nF", {"cat", "x"}, ""},
  };
  for (const CommandLineRow& row : std::span(rows).first(5)) EXPECT_EQ(difference(row), "");
  EXPECT_FALSE(parse_command_line(rows[5].line).unknown.empty());
}

// Regression tests: time or memory once doubled with every level of these.
TEST(CommandLineDoubt, GivesUpOnPathologicalInput) {
  std::string nested = "echo ";
  for (int i = 0; i < 45; ++i) nested += "${a:${:a-\n($(b) ${a;";
  for (const Dialect dialect : {Dialect::kBash, Dialect::kPosix, Dialect::kZsh}) {
    const CommandLine line = parse_command_line(nested, dialect);
    EXPECT_FALSE(line.unknown.empty());
    EXPECT_LE(line.commands.size(), 100U);
  }
  std::string pipes = "a";
  for (int i = 0; i < 100; ++i) pipes += "|a";
  EXPECT_EQ(parse_command_line(pipes).commands.size(), 101U);
  EXPECT_EQ(parse_command_line(pipes).unknown, std::vector<std::string>());
  // An unclosed last one makes the grammar recover from errors in all of it.
  for (int i = 0; i < 30'000; ++i) pipes += "|a";
  EXPECT_EQ(parse_command_line(pipes + "|").unknown, std::vector<std::string>{"it takes too long to parse"});
}

TEST(CommandLineDoubt, ListsSubstitutionInAnOffsetOnce) {
  const CommandLineRow rows[] = {
      {"echo ${a:1:2}$(x)", {"echo ~${a:1:2}$(x)", "x"}},
      {"echo ${a:$(x):2}", {"echo ~${a:$(x):2}", "x"}, "arithmetic with variables can run commands"},
      {"echo ${a:${b}}$(x)", {"echo ~${a:${b}}$(x)", "x"}, "arithmetic with variables can run commands"},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

TEST(CommandLineDoubt, TextIsAsWritten) {
  const CommandLine line = parse_command_line("A=1  ls   'a b' 2>&1; sudo  rm 'x y'");
  ASSERT_EQ(line.commands.size(), 3U);
  EXPECT_EQ(line.commands[0].text, "A=1  ls   'a b'");
  EXPECT_EQ(line.commands[1].text, "sudo  rm 'x y'");
  EXPECT_EQ(line.commands[2].text, "rm 'x y'");
}

}  // namespace
}  // namespace helve::shell
