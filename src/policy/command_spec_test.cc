#include "policy/command_spec.h"

#include <gtest/gtest.h>

namespace helve::policy {
namespace {

shell::SimpleCommand command(std::initializer_list<std::string_view> words) {
  shell::SimpleCommand made;
  for (const std::string_view word : words) {
    const bool literal = !word.starts_with('$');
    made.words.push_back({.text = std::string(word), .literal = literal});
  }
  return made;
}

CommandSpec spec(std::string_view text) {
  auto made = CommandSpec::compile(text);
  EXPECT_TRUE(made) << text;
  return made ? *made : *CommandSpec::compile("*");
}

bool grants(std::string_view text, std::initializer_list<std::string_view> words) {
  return spec(text).grants(command(words));
}
Match restricts(std::string_view text, std::initializer_list<std::string_view> words,
                bool open_ended = false) {
  return spec(text).restricts(readings_of(command(words), "/"), open_ended);
}

TEST(CommandSpec, ExactMatchesTheseWordsOnly) {
  EXPECT_TRUE(grants("npm run build", {"npm", "run", "build"}));
  EXPECT_FALSE(grants("npm run build", {"npm", "run", "build", "--watch"}));
  EXPECT_FALSE(grants("npm run build", {"npm", "run"}));
  EXPECT_FALSE(grants("npm run build", {"npm run", "build"}));
  EXPECT_FALSE(grants("npm run build", {"npm", "run", "$x"}));
}

TEST(CommandSpec, PrefixEndsAtAWord) {
  for (const std::string_view text : {"git diff:*", "git diff *"}) {
    EXPECT_TRUE(grants(text, {"git", "diff"})) << text;
    EXPECT_TRUE(grants(text, {"git", "diff", "--stat"})) << text;
    EXPECT_FALSE(grants(text, {"git", "diffx"})) << text;
    EXPECT_FALSE(grants(text, {"git", "difftool"})) << text;
    EXPECT_FALSE(grants(text, {"git"})) << text;
  }
  EXPECT_FALSE(grants("npm run test:*", {"npm", "run", "test:unit"}));
}

TEST(CommandSpec, StarMatchesAnyText) {
  EXPECT_TRUE(grants("git * main", {"git", "push", "-u", "main"}));
  EXPECT_FALSE(grants("git * main", {"git", "push", "main2"}));
  EXPECT_TRUE(grants("ls*", {"lsof"}));
  EXPECT_TRUE(grants("* --version", {"node", "--version"}));
  EXPECT_TRUE(grants("npm run test*", {"npm", "run", "test:unit"}));
  EXPECT_TRUE(grants("git * main:*", {"git", "push", "main"}));
  EXPECT_TRUE(grants("git * main:*", {"git", "push", "main", "dev"}));
  EXPECT_FALSE(grants("git * main:*", {"git", "push", "mainline"}));
}

TEST(CommandSpec, LoneStarMatchesEverything) {
  for (const std::string_view text : {"*", ":*"}) {
    EXPECT_EQ(spec(text).form(), CommandSpec::Form::kEverything);
    EXPECT_TRUE(grants(text, {"rm", "$x"}));
  }
}

TEST(CommandSpec, GrantsSystemProgramsByPathButNoOthers) {
  EXPECT_TRUE(grants("ls:*", {"/bin/ls", "-l"}));
  EXPECT_TRUE(grants("ls:*", {"/usr/bin/ls"}));
  EXPECT_FALSE(grants("ls:*", {"./ls"}));
  EXPECT_FALSE(grants("ls:*", {"/tmp/ls"}));
  EXPECT_FALSE(grants("ls:*", {"/usr/bin/../../tmp/ls"}));
  EXPECT_TRUE(grants("./configure:*", {"./configure", "--prefix=/x"}));
}

TEST(CommandSpec, RestrictsUnderEveryNameOfTheProgram) {
  for (const std::string_view program : {"rm", "/bin/rm", "/usr/bin/rm", "./x/rm", "/proc/self/root/bin/rm"})
    EXPECT_EQ(restricts("rm:*", {program, "-rf", "x"}), Match::kYes) << program;
  EXPECT_EQ(restricts("rm:*", {"busybox", "rm", "x"}), Match::kYes);
  EXPECT_EQ(restricts("rm:*", {"/lib64/ld-linux-x86-64.so.2", "/bin/rm", "x"}), Match::kYes);
  EXPECT_EQ(restricts("git push:*", {"/usr/lib/git-core/git-push", "origin"}), Match::kYes);
  for (const std::string_view program : {"rmdir", "rm-old-files.sh", "xrm", "./rm.sh"})
    EXPECT_EQ(restricts("rm:*", {program, "x"}), Match::kNo) << program;
}

TEST(CommandSpec, RestrictsAfterOptions) {
  EXPECT_EQ(restricts("git push:*", {"git", "-C", "x", "push"}), Match::kYes);
  EXPECT_EQ(restricts("git push:*", {"git", "--no-pager", "-c", "a=b", "--git-dir=x", "push"}), Match::kYes);
  EXPECT_EQ(restricts("git push:*", {"git", "-C", "push", "log"}), Match::kNo);
  EXPECT_EQ(restricts("git push:*", {"git", "--no-pager", "diff", "push"}), Match::kNo);
  EXPECT_EQ(restricts("git push:*", {"git", "log", "push"}), Match::kNo);
  EXPECT_EQ(restricts("kubectl delete:*", {"kubectl", "-n", "prod", "delete", "pod"}), Match::kYes);
  EXPECT_EQ(restricts("kubectl delete:*", {"kubectl", "get", "delete"}), Match::kNo);
  EXPECT_EQ(restricts("docker compose down:*", {"docker", "compose", "-f", "x.yml", "down"}), Match::kYes);
}

TEST(CommandSpec, FindsOptionsOfARestrictionAnywhere) {
  for (const auto& words :
       {command({"rm", "-rf", "x"}), command({"rm", "-fr", "x"}), command({"rm", "-r", "-f", "x"}),
        command({"rm", "x", "-rf"}), command({"rm", "-v", "-Rf", "x"}),
        command({"rm", "--recursive", "--force", "x"})})
    EXPECT_EQ(spec("rm -rf:*").restricts(readings_of(words, "/"), false), Match::kYes)
        << spell_out(words.words);
  EXPECT_EQ(restricts("rm -rf:*", {"rm", "-r", "x"}), Match::kNo);
  EXPECT_EQ(restricts("rm -f:*", {"rm", "--", "-f"}), Match::kNo);  // a file with that name
  EXPECT_EQ(restricts("rm -f:*", {"rm", "-f", "--", "x"}), Match::kYes);
  EXPECT_EQ(restricts("npm run --force:*", {"npm", "run", "x", "--", "--force"}), Match::kYes);
  EXPECT_EQ(restricts("git push --force:*", {"git", "push", "origin", "--force"}), Match::kYes);
  EXPECT_EQ(restricts("git push --force:*", {"git", "push", "origin"}), Match::kNo);
}

TEST(CommandSpec, ExpansionMayMatch) {
  EXPECT_EQ(restricts("git push:*", {"git", "$x"}), Match::kMaybe);
  EXPECT_EQ(restricts("git push:*", {"git", "status", "$x"}), Match::kNo);
  EXPECT_EQ(restricts("git push:*", {"git", "push", "$x"}), Match::kYes);
  EXPECT_EQ(restricts("git push:*", {"$git", "push"}), Match::kMaybe);
  EXPECT_EQ(restricts("rm -rf:*", {"rm", "$x"}), Match::kMaybe);
  EXPECT_EQ(restricts("git push", {"git", "push", "$x"}), Match::kMaybe);
  EXPECT_EQ(restricts("git * --force", {"git", "push", "$x"}), Match::kMaybe);
  EXPECT_EQ(restricts("git * --force", {"ls", "$x"}), Match::kNo);
}

TEST(CommandSpec, UnknownArgumentsMayMatch) {
  EXPECT_EQ(restricts("git push:*", {"git"}, true), Match::kMaybe);
  EXPECT_EQ(restricts("git push:*", {"git", "log"}, true), Match::kNo);
  EXPECT_EQ(restricts("rm:*", {"rm"}, true), Match::kYes);
}

TEST(CommandSpec, ExactRestrictionDoesNotMatchLongerCommands) {
  EXPECT_EQ(restricts("git push", {"git", "push"}), Match::kYes);
  EXPECT_EQ(restricts("git push", {"git", "push", "origin"}), Match::kNo);
  EXPECT_EQ(restricts("git push -f", {"git", "push", "-f"}), Match::kYes);
  EXPECT_EQ(restricts("rm", {"rm", "x"}), Match::kNo);
}

TEST(CommandSpec, StaysLinearOverManyOptions) {
  shell::SimpleCommand long_command = command({"kubectl"});
  for (int i = 0; i < 20'000; ++i) long_command.words.push_back({.text = "-x"});
  EXPECT_EQ(spec("kubectl delete pod:*").restricts(readings_of(long_command, "/"), false), Match::kNo);
}

TEST(CommandSpec, ReportsSpecsThatNeverMatch) {
  for (const std::string_view text : {"ls; rm:*", "a && b", "a | b", "ls $(x)", "ls `x`", "a\nb", "* ; x"})
    EXPECT_NE(spec(text).contradiction(), "") << text;
  for (const std::string_view text : {"echo 'a; b'", "make all", "git log --format='%h|%s':*", "make 2>&1"})
    EXPECT_EQ(spec(text).contradiction(), "") << text;
}

TEST(CommandSpec, QuotedStarMatchesItself) {
  const CommandSpec exact = spec("grep 'a*b' x");
  EXPECT_EQ(exact.form(), CommandSpec::Form::kExact);
}

}  // namespace
}  // namespace helve::policy
