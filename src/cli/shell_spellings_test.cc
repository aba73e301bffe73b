#include "cli/shell_spellings.h"

#include <gtest/gtest.h>

#include "app/invocation.h"
#include "base/strings.h"
#include "cli/all_tools.h"
#include "core/builtin_tools.h"

namespace helve::cli {
namespace {

// The words with the tool's own flags, and the further paths after a bar.
std::string spell(std::string_view tool, std::vector<std::string> words) {
  const auto tools = all_builtin_tools();
  const auto found = (*tools)->find(std::string(tool));
  const Spelled spelled =
      from_shell_spelling(tool, (*found)->definition.params, params_of<app::GlobalOptions>(), words);
  return concat(join(spelled.words, " "), spelled.more_paths.empty() ? "" : " | ",
                join(spelled.more_paths, " "));
}

TEST(ShellSpellings, Grep) {
  EXPECT_EQ(spell("grep", {"-i", "-n", "-C", "3", "-r", "x", "src"}),
            "--no-case-sensitive --context-lines 3 x src");
  EXPECT_EQ(spell("grep", {"-rniwC2", "x", "a", "b"}),
            "--no-case-sensitive --whole word --context-lines 2 x a | b");
  EXPECT_EQ(spell("grep", {"-e", "a", "-e", "b", "src"}), "--pattern (?:a)|(?:b) src");
  EXPECT_EQ(spell("grep", {"--include=*.c", "-g", "*.h", "--exclude-dir", "build", "x"}),
            "--file-pattern *.c,*.h,!build/ x");
  EXPECT_EQ(spell("grep", {"-tpy", "-T", "md", "-L", "x"}), "--type py,!md --output files-without x");
  EXPECT_EQ(spell("grep", {"-v", "-x", "-F", "-m5", "-A1", "-B", "2", "x"}),
            "--invert --whole line --literal --max-per-file 5 --lines-after 1 --lines-before 2 x");
  EXPECT_EQ(spell("grep", {"-uu", "-R", "--", "-x", "a"}), "--ignored --hidden --ignored --follow -- -x a");
  EXPECT_EQ(spell("grep", {"-S", "x"}), "--no-case-sensitive x");
  EXPECT_EQ(spell("grep", {"-S", "X"}), "X");
  EXPECT_EQ(spell("grep", {"-io", "x"}), "-io x");  // -o is unknown, so nothing changes
}

TEST(ShellSpellings, ListAndRead) {
  EXPECT_EQ(spell("ls", {"-la", "src", "tests"}), "src | tests");
  EXPECT_EQ(spell("ls", {"-lahR"}), "--depth 20");
  EXPECT_EQ(spell("ls", {"-h"}), "-h");
  EXPECT_EQ(spell("read", {"-n", "20", "a", "b"}), "--limit 20 a | b");
  EXPECT_EQ(spell("read", {"-n20", "a"}), "--limit 20 a");
  EXPECT_EQ(spell("read", {"-20", "a"}), "--limit 20 a");
  EXPECT_EQ(spell("read", {"-n", "a"}), "a");  // as in cat -n
  EXPECT_EQ(spell("read", {"a", "--lines", "3-5"}), "--offset 3 --limit 3 a");
  EXPECT_EQ(spell("read", {"a", "--tail", "20"}), "--offset -20 a");
  EXPECT_EQ(spell("read", {"a", "-n", "+5"}), "--offset 5 a");
  EXPECT_EQ(spell("read", {"a", "--limit", "5"}), "--limit 5 a");
}

TEST(ShellSpellings, Find) {
  EXPECT_EQ(spell("find", {".", "-name", "*.py"}), "--pattern *.py .");
  EXPECT_EQ(spell("find", {"src", "tests", "-iname", "*.py", "-type", "f"}),
            "--no-case-sensitive --type file --pattern *.py src | tests");
  EXPECT_EQ(spell("find", {"-name", "*.a", "-o", "-name", "*.b"}), "--pattern *.a,*.b");
  EXPECT_EQ(spell("find", {".", "-type", "d"}), "--type directory --pattern * .");
  EXPECT_EQ(spell("find", {".", "-maxdepth", "2", "-not", "-name", "x"}), "--pattern /*,/*/* --exclude x .");
  EXPECT_EQ(spell("find", {".", "!", "-name", "x"}), "--pattern * --exclude x .");
  EXPECT_EQ(spell("find", {".", "-path", "./src/*"}), "--pattern src/** .");
  EXPECT_EQ(spell("find", {"*.py", "src"}), "*.py src");
  EXPECT_EQ(spell("find", {"-e", "py", "-H", "-t", "f"}), "--hidden --type file --pattern *.py");
}

TEST(ShellSpellings, ExecTakesTheWordsAfterTheDashes) {
  EXPECT_EQ(spell("exec", {"--", "ls", "-la"}), "-- ls -la");
  EXPECT_EQ(spell("exec", {"--cwd", "a", "--", "grep", "-v", "a b", "$x"}), "--cwd a -- grep -v 'a b' '$x'");
  EXPECT_EQ(spell("exec", {"--", "ls | wc"}), "-- ls | wc");
  EXPECT_EQ(spell("exec", {"ls", "-la"}), "ls -la");
}

TEST(ShellSpellings, OtherToolsAreLeftAlone) { EXPECT_EQ(spell("edit", {"-n", "x"}), "-n x"); }

}  // namespace
}  // namespace helve::cli
