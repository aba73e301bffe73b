#include "shell/command_line.h"

#include <gtest/gtest.h>

#include "shell/command_line_testing.h"

namespace helve::shell {
namespace {

TEST(CommandLine, ListsAndPipelinesRunAllTheirCommands) {
  const CommandLineRow rows[] = {
      {"ls", {"ls"}},
      {"ls; x", {"ls", "x"}},
      {"ls\nx", {"ls", "x"}},
      {"ls & x", {"ls", "x"}},
      {"ls && x || y", {"ls", "x", "y"}},
      {"ls | x", {"ls", "x"}},
      {"ls |& x", {"ls", "x"}},
      {"ls -la|wc -l", {"ls -la", "wc -l"}},
      {"! ls | x", {"ls", "x"}},
      {"(ls; x)", {"ls", "x"}},
      {"{ ls; x; }", {"ls", "x"}},
      {"ls;", {"ls"}},
      {"ls &", {"ls"}},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

TEST(CommandLine, CommentsBeginWhereAWordCould) {
  const CommandLineRow rows[] = {
      {"ls # ; x", {"ls"}},
      {"# x", {}},
      {"ls a#b; x", {"ls a#b", "x"}},
      {"echo $x#y; x", {"echo ~$x#y", "x"}},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

TEST(CommandLine, QuotesAreRemoved) {
  const CommandLineRow rows[] = {
      {"l\\s -la", {"ls -la"}},
      {"'ls' \"-la\"", {"ls -la"}},
      {"\"l\"s", {"ls"}},
      {"echo 'a;b' \"c|d\" e\\;f", {"echo a;b c|d e;f"}},
      {"echo \"a\\\"b\\$c\\\\d\\e\"", {"echo <a\"b$c\\d\\e>"}},
      {"echo ''", {"echo <>"}},
      {"echo \"it's\" 'say \"x\"'", {"echo <it's> <say \"x\">"}},
      {"grep -rn \"rm -rf /\" docs", {"grep -rn <rm -rf /> docs"}},
      {"$'\\x6cs' $'a\\tb\\'c\\101'", {"ls <a\tb'cA>"}},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

TEST(CommandLine, ExpansionsInArgumentsAreNotLiteral) {
  const CommandLineRow rows[] = {
      {"cat $x \"$y\" ${z} \"a${z:-b}c\"", {"cat ~$x ~\"$y\" ~${z} ~\"a${z:-b}c\""}},
      {"cat *.c a?b [ab]c", {"cat ~*.c ~a?b ~[ab]c"}},
      {"cat a{b,c} {1..3} {} @{1} HEAD@{2}", {"cat ~a{b,c} ~{1..3} {} @{1} HEAD@{2}"}},
      {"cat ~/x ~ a~b", {"cat ~~/x ~~ a~b"}},
      {"echo $1 $? $$ \"$@\"", {"echo ~$1 ~$? ~$$ ~\"$@\""}},
      {"echo $((1 + 2 * 0x1f)) $(( $? + $# ))", {"echo ~$((1 + 2 * 0x1f)) ~$(( $? + $# ))"}},
      {"echo ${#x} ${x%.c} ${x/a/b} ${a[0]} ${a[@]} ${x:1:2}",
       {"echo ~${#x} ~${x%.c} ~${x/a/b} ~${a[0]} ~${a[@]} ~${x:1:2}"}},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

TEST(CommandLine, ListsSubstitutedCommandsAnywhere) {
  const CommandLineRow rows[] = {
      {"echo $(x y)", {"echo ~$(x y)", "x y"}},
      {"echo `x y`", {"echo ~`x y`", "x y"}},
      {"echo \"a $(x \"b $(y)\") c\"", {"echo ~\"a $(x \"b $(y)\") c\"", "x ~\"b $(y)\"", "y"}},
      {"echo \"a `x` c\"", {"echo ~\"a `x` c\"", "x"}},
      {"cat <(x) >(y)", {"cat ~<(x) ~>(y)", "x", "y"}},
      {"echo ${a:-$(x)} \"${b:+`y`}\"", {"echo ~${a:-$(x)} ~\"${b:+`y`}\"", "x", "y"}},
      {"echo $(( $(x) + 1 ))",
       {"echo ~$(( $(x) + 1 ))", "x"},
       "arithmetic with variables can run commands that are in their values"},
      {"cat a[$(x)]", {"cat ~a[$(x)]", "x"}},
      {"$(x) y", {"~$(x) y", "x"}, "the program's name is not literal: $(x)"},
      {"echo $(<f)", {"echo ~$(<f)", "<f"}},
      {"x=$(y) z", {"x=~$(y) z", "y"}},
      {"x=`y`", {"x=~`y`", "y"}},
      {"ls >$(x)", {"ls >~$(x)", "x"}},
      {"cat <<<$(x)", {"cat <<<~$(x)", "x"}},
      {"a[$(x)]=1", {"a=~1", "x"}, "the subscript of an array is evaluated as arithmetic"},
      {"a=(1 $(x) \"$(y)\")", {"a=~(1 $(x) \"$(y)\")", "x", "y"}},
      {"for i in $(x); do y; done", {"x", "y"}},
      {"case $(x) in a) y;; esac", {"x", "y"}},
      {"[[ -n $(x) ]]", {"x"}},
      {"[ -n \"$(x)\" ]", {"[ -n ~\"$(x)\" ]", "x"}},
      {"echo ${x#$(y)}", {"echo ~${x#$(y)}"}, "a substitution is in an unexpected place"},
      {"echo ${x/`y`/z}", {"echo ~${x/`y`/z}", "y"}},
      {"echo ${x:$(y)}",
       {"echo ~${x:$(y)}", "y"},
       "arithmetic with variables can run commands that are in their values"},
      {"cat <<EOF\na $(x) `y` \\$(z) ${w:-$(v)}\nEOF",
       {"cat <<~a $(x) `y` \\$(z) ${w:-$(v)}\n", "x", "y", "v"}},
      {"cat <<'EOF'\n$(x) `y`\nEOF", {"cat <<<$(x) `y`\n>"}},
      {"cat <<\\EOF\n$(x)\nEOF", {"cat <<<$(x)\n>"}},
      {"cat <<EOF >out && x -y\na\nEOF", {"cat >out <<<a\n>", "x -y"}},
      {"git commit -m \"$(cat <<'EOF'\nIt's (a) `title`\n\nbody $(x)\nEOF\n)\" --no-edit",
       {"git commit -m ~\"$(cat <<'EOF'\nIt's (a) `title`\n\nbody $(x)\nEOF\n)\" --no-edit",
        "cat <<<It's (a) `title`\n\nbody $(x)\n>"}},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

TEST(CommandLine, AssignmentsAreListed) {
  const CommandLineRow rows[] = {
      {"a=1 b=2 ls", {"a=1 b=2 ls"}},
      {"PATH=/x", {"PATH=/x"}},
      {"a=1 b=\"$c\"", {"a=1 b=~\"$c\""}},
      {"x+=1", {"x=~1"}},
      {"a=(1 2)", {"a=~(1 2)"}},
      {"export PATH=/x A", {"PATH=/x export PATH=/x A"}},
      {"export \"PATH=/x\"", {"export PATH=/x", "export> PATH=/x"}},
      {"declare -x A=1", {"A=1 declare -x A=1"}},
      {"readonly A=~/x", {"A=~~/x readonly ~A=~/x"}},
      {"echo ${PATH:=/x}", {"echo ~${PATH:=/x}", "PATH=~"}},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

TEST(CommandLine, RedirectionsBelongToTheirCommand) {
  const CommandLineRow rows[] = {
      {"ls >a 2>>b <c", {"ls >a 2>>b <c"}},
      {"ls 2>&1 >&2 3<&- 4>&-", {"ls 2>&1 >&2 3>&- 4>&-"}},
      {"ls &>a", {"ls &>a"}},
      {"ls >&a", {"ls &>a"}},
      {"ls >|a", {"ls >a"}},
      {">a", {">a"}},
      {"ls 2>/dev/null -la", {"ls -la 2>/dev/null"}},
      {">a ls", {"ls >a"}},
      {"(ls; x) >a", {">a", "ls", "x"}},
      {"while read -r x; do echo \"$x\"; done <a", {"<a", "read -r x", "echo ~\"$x\""}},
      {"cd b && make 2>&1 | tail -5", {"cd b", "make 2>&1", "tail -5"}},
      {"cat <<<\"a b\"", {"cat <<<<a b>"}},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

TEST(CommandLine, ListsCommandsInCompoundCommands) {
  const CommandLineRow rows[] = {
      {"if a; then b; elif c; then d; else e; fi", {"a", "b", "c", "d", "e"}},
      {"for i in 1 \"$x\" *; do ls \"$i\"; done", {"ls ~\"$i\""}},
      {"for i in 1 2\ndo\nls\ndone", {"ls"}},
      {"while a; do b; done", {"a", "b"}},
      {"until a; do b; done", {"a", "b"}},
      {"select x in a b; do c; done", {"c"}},
      {"case $x in a|b*) ls;; \"c\") x; y;; *) z;; esac", {"ls", "x", "y", "z"}},
      {"[[ -f a && $b == c* ]] && ls", {"ls"}},
      {"[[ 1 -lt 2 ]] && ls", {"ls"}},
      {"[ -f a ] && ls", {"[ -f a ]", "ls"}},
      {"(( 1 + 1 )) && ls", {"ls"}},
      {"for ((;;)); do ls; done", {"ls"}},
  };
  for (const CommandLineRow& row : rows) EXPECT_EQ(difference(row), "");
}

}  // namespace
}  // namespace helve::shell
