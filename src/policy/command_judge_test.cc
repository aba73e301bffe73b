#include "policy/command_judge.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "policy/testing.h"

namespace helve::policy {
namespace {

TEST(CommandJudge, ChecksEveryCommandOfALongLine) {
  World world;
  world.allow("exec(ls:*)").deny("exec(rm:*)");
  std::string line;
  for (int i = 0; i < 500; ++i) line += "ls; ";
  EXPECT_EQ(name(world.exec(line + "ls")), "allow");
  EXPECT_EQ(name(world.exec(line + "rm x")), "deny");
}

TEST(CommandJudge, RedirectionsNeedApprovalToWrite) {
  World world;
  world.allow("exec(echo:*)");
  EXPECT_EQ(name(world.exec("echo x > /dev/null 2>&1")), "allow");
  EXPECT_EQ(name(world.exec("echo x > out.txt")), "ask");
  EXPECT_EQ(name(world.exec("echo x > out.txt", Mode::kAcceptEdits)), "allow");
  EXPECT_EQ(name(world.exec("echo x > ../out.txt", Mode::kAcceptEdits)), "ask");
  EXPECT_EQ(name(world.exec("cd .. && echo x > out.txt", Mode::kAcceptEdits)), "ask");
  EXPECT_EQ(name(world.exec("echo x > .git/config", Mode::kAcceptEdits)), "ask");
  EXPECT_EQ(name(world.exec("echo x > $f", Mode::kAcceptEdits)), "ask");
  world.allow("write(/build/**)");
  EXPECT_EQ(name(world.exec("echo x > build/log")), "allow");
  EXPECT_EQ(name(world.exec("cd build && echo x > log")), "ask");
  world.deny("edit(/build/keep)");
  EXPECT_EQ(name(world.exec("echo x > build/keep")), "deny");
  EXPECT_EQ(name(world.exec("echo x >> build/../build/keep", Mode::kFull)), "deny");
}

TEST(CommandJudge, ReadRulesApplyToReadingCommands) {
  World world;
  world.directory.write("work/secrets/key", "x");
  world.directory.link("secrets/key", "work/innocent");
  world.allow("exec(cat:*)")
      .allow("exec(grep:*)")
      .allow("exec(cp:*)")
      .allow("exec(tool:*)")
      .allow("exec(ls:*)");
  world.deny("read(./secrets/**)");
  for (const std::string_view command :
       {"cat secrets/key", "cat < secrets/key", "cat innocent", "cat ./secrets/../secrets/key",
        "grep x secrets/key", "grep -r x secrets", "cp secrets/key y", "cat a b secrets/key",
        "cd secrets && cat key", "ls secrets", "head -n1 secrets/key", "sed -n p secrets/key",
        "awk 1 secrets/key", "mv secrets/key x", "source secrets/key", "/bin/cat SECRETS/key",
        "sudo cat secrets/key"})
    for (const Mode mode : {Mode::kAsk, Mode::kFull})
      EXPECT_EQ(name(world.exec(command, mode)), "deny") << command;
  // The match is uncertain, or denying would be too strict: the user decides.
  for (const std::string_view command : {"grep -r x .", "cat */key", "cat $f", "tool secrets/key",
                                         "tool --in=secrets/key", "cp -r . /elsewhere", "ls | xargs cat"}) {
    EXPECT_EQ(name(world.exec(command)), "ask") << command;
    EXPECT_EQ(name(world.exec(command, Mode::kFull)), "deny") << command;
  }
  for (const std::string_view command :
       {"cat src/key", "grep secrets/key docs", "ls", "cat *.c", "grep -r x src", "tool secret"})
    EXPECT_EQ(name(world.exec(command)), "allow") << command << "\n" << world.exec(command).to_text();
}

TEST(CommandJudge, WriteRulesApplyToWritingCommands) {
  World world;
  world.allow("exec").deny("edit(/dist/**)").ask("write(/docs/**)");
  for (const std::string_view command :
       {"touch dist/x", "echo x | tee dist/x", "cp a dist/x", "mv a dist/", "rm dist/x",
        "sed -i s/a/b/ dist/x", "dd if=a of=dist/x", "ln -s a dist/x", "truncate -s0 dist/x"})
    EXPECT_EQ(name(world.exec(command)), "deny") << command;
  EXPECT_EQ(name(world.exec("cp dist/x y")), "allow");
  EXPECT_EQ(name(world.exec("touch docs/x")), "ask");
}

TEST(CommandJudge, WrappersNeedTheirOwnRule) {
  World world;
  world.allow("exec(systemctl status:*)");
  EXPECT_EQ(name(world.exec("sudo systemctl status x")), "ask");
  world.allow("exec(sudo systemctl status:*)");
  EXPECT_EQ(name(world.exec("sudo systemctl status x")), "allow");
  EXPECT_EQ(name(world.exec("sudo systemctl stop x")), "ask");
  World only_sudo;
  only_sudo.allow("exec(sudo:*)");
  EXPECT_EQ(name(only_sudo.exec("sudo systemctl status x")), "ask");
}

TEST(CommandJudge, VerbatimRuleForAWrapperCoversTheWrappedCommand) {
  World world;
  world.allow("exec(sudo systemctl restart web)")
      .allow("exec(ls | xargs -n1 wc)")
      .allow("exec(xargs -n1 wc)")
      .allow("exec(ls)");
  EXPECT_EQ(name(world.exec("sudo systemctl restart web")), "allow");
  EXPECT_EQ(name(world.exec("sudo systemctl restart web; systemctl restart web")), "ask");
  EXPECT_EQ(name(world.exec("ls | xargs -n1 wc")), "allow");
}

TEST(CommandJudge, ExactRuleAllowsMoreThanAPrefix) {
  World world;
  world.allow("exec(find . -name '*.o' -delete)")
      .allow("exec(find:*)")
      .allow("exec(FOO=1 make)")
      .allow("exec(echo x > out)");
  EXPECT_EQ(name(world.exec("find . -name '*.o' -delete")), "allow");
  EXPECT_EQ(name(world.exec("find . -name '*.c' -delete")), "ask");
  EXPECT_EQ(name(world.exec("FOO=1 make")), "allow");
  EXPECT_EQ(name(world.exec("FOO=2 make")), "ask");
  EXPECT_EQ(name(world.exec("make")), "ask");
  EXPECT_EQ(name(world.exec("echo x > out")), "allow");
  EXPECT_EQ(name(world.exec("echo x > other")), "ask");
}

TEST(CommandJudge, RuleForAllCommandsAllowsUnclearLines) {
  World world;
  world.allow("exec");
  EXPECT_EQ(name(world.exec("for f in *; do $x $f; done > out", Mode::kAuto)), "allow");
  world.ask("exec(git push:*)");
  EXPECT_EQ(name(world.exec("$x y")), "ask");
  EXPECT_EQ(name(world.exec("make $x", Mode::kAuto)), "allow");
}

TEST(CommandJudge, FullModeDeniesOnlyPossibleMatchesOfDenyRules) {
  World world;
  EXPECT_EQ(name(world.exec("$x; rm -rf y > z", Mode::kFull)), "allow");
  world.deny("exec(git push:*)").ask("exec(make:*)");
  EXPECT_EQ(name(world.exec("make $x", Mode::kFull)), "allow");
  EXPECT_EQ(name(world.exec("git status $x", Mode::kFull)), "allow");
  EXPECT_EQ(name(world.exec("$x", Mode::kFull)), "deny");
  EXPECT_EQ(name(world.exec("git $x", Mode::kFull)), "deny");
}

TEST(CommandJudge, AsksAboutDirectoriesOutsideTheWorkspace) {
  World world;
  world.directory.make("work/sub");
  world.directory.link("/", "work/out");
  world.allow("exec(ls:*)");
  EXPECT_EQ(name(world.exec("ls", Mode::kAsk, "sub")), "allow");
  EXPECT_EQ(name(world.exec("ls", Mode::kAsk, world.directory.at("work/sub"))), "allow");
  for (const std::string_view cwd : {"/", "..", "sub/../..", "out", "out/tmp"})
    EXPECT_EQ(name(world.exec("ls", Mode::kAsk, cwd)), "ask") << cwd;
  for (const std::string_view line :
       {"cd /; ls", "cd ..; ls", "cd out; ls", "cd; ls", "cd -; ls", "cd $x; ls", "pushd / && ls"})
    EXPECT_EQ(name(world.exec(line)), "ask") << line;
  EXPECT_EQ(name(world.exec("cd sub && ls && cd .. && ls")), "allow");
}

TEST(CommandJudge, AsksAboutInputToAShell) {
  World world;
  world.allow("exec(bash)").allow("exec(cat:*)").deny("exec(rm:*)");
  const auto fed = [&](std::string_view command, Mode mode) {
    return name(
        world.tool("exec", Effect::kExecute, mode, JsonObject{{"command", command}, {"stdin", "rm x"}}));
  };
  EXPECT_EQ(fed("bash", Mode::kAsk), "ask");
  EXPECT_EQ(fed("bash", Mode::kFull), "deny");
  EXPECT_EQ(fed("python3 -", Mode::kFull), "deny");
  EXPECT_EQ(fed("cat", Mode::kAsk), "allow");
}

TEST(CommandJudge, HarmlessBuiltinsNeedNoRule) {
  World world;
  world.allow("exec(ls:*)");
  for (const std::string_view line :
       {"set -euo pipefail; ls", "[ -f x ] && ls", "test -d y || ls", "command -v ls", "true", "ls; exit 1"})
    EXPECT_EQ(name(world.exec(line)), "allow") << line;
  for (const std::string_view line :
       {"set -x; ls", "set -a; ls", "[ -v 'a[$(x)]' ]", "test -v x", "exit $x", "command ls2"})
    EXPECT_EQ(name(world.exec(line)), "ask") << line;
}

TEST(CommandJudge, AsksAboutAnEmptyLine) {
  World world;
  world.allow("exec(ls:*)");
  for (const std::string_view line : {"", "   ", "# comment"})
    EXPECT_EQ(name(world.exec(line)), "ask") << line;
}

TEST(CommandJudge, PlanModeRunsNoCommands) {
  EXPECT_EQ(name(World().allow("exec").exec("ls", Mode::kPlan)), "deny");
}

}  // namespace
}  // namespace helve::policy
