#include "policy/catastrophe.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/strings.h"
#include "policy/testing.h"

namespace helve::policy {
namespace {

TEST(Catastrophe, NoModeRunsACommandThatDestroysEverything) {
  World world;
  world.allow("exec");
  std::filesystem::create_directory(world.directory.at("work/build"));
  const std::string workspace = world.surroundings.workspace;
  const std::string home = world.surroundings.home;
  for (const std::string& command : std::vector<std::string>{"rm -rf /",
                                                             "rm -fr /",
                                                             "rm -r -f /",
                                                             "rm --recursive --force /",
                                                             "rm --rec /",
                                                             "rm -rf \"/\"",
                                                             "rm -rf '/'",
                                                             "rm -rf //",
                                                             "rm -rf /*",
                                                             "rm -rf /.",
                                                             "rm -rf /../",
                                                             "rm -Rf -- /",
                                                             "/bin/rm -rf /",
                                                             "\\rm -rf /",
                                                             "sudo rm -rf /",
                                                             "env X=1 rm -rf /",
                                                             "sh -c 'rm -rf /'",
                                                             "ls; rm -rf /",
                                                             "busybox rm -rf /",
                                                             "timeout 5 rm -rf --no-preserve-root /",
                                                             "rm -rf ~",
                                                             "rm -rf ~/",
                                                             "rm -rf ~/*",
                                                             "rm -rf $HOME",
                                                             "rm -rf \"$HOME\"",
                                                             "rm -rf \"${HOME}\"/*",
                                                             "rm -rf /etc",
                                                             "rm -rf /usr/",
                                                             "rm -rf /home/*",
                                                             "rm -rf .",
                                                             "rm -rf ./",
                                                             "rm -rf *",
                                                             "rm -rf ./*",
                                                             "rm -rf .*",
                                                             "rm -rf {*,.*}",
                                                             "rm -rf .git",
                                                             "rm -rf ./.git/",
                                                             "rm -rf $PWD",
                                                             "rm -rf \"$PWD\"/*",
                                                             concat("rm -rf ", workspace),
                                                             concat("rm -rf ", workspace, "/"),
                                                             concat("rm -rf ", home),
                                                             "rm -rf ..",
                                                             "rm -rf build/../..",
                                                             "find / -delete",
                                                             "find . -delete",
                                                             "find -delete",
                                                             "find . -mindepth 1 -delete",
                                                             "find / -exec rm -rf {} +",
                                                             "chmod -R 777 /",
                                                             "chmod -R a+w /etc",
                                                             "chown -R me:me /usr",
                                                             "mv / x",
                                                             "mv ~ /tmp/x",
                                                             "mv /etc/* x",
                                                             "dd if=/dev/zero of=/dev/sda",
                                                             "dd of=/dev/nvme0n1 if=x bs=1M",
                                                             "mkfs.ext4 /dev/sda1",
                                                             "mkfs -t ext4 /dev/vdb",
                                                             "wipefs -a /dev/sda",
                                                             "shred /dev/sdb",
                                                             "cat x > /dev/sda",
                                                             "echo x >> /dev/nvme0n1p1",
                                                             "cat x | tee /dev/sda",
                                                             "cp x /dev/sda",
                                                             ":(){ :|:& };:",
                                                             ":() { : | : & }; :",
                                                             "bomb() { bomb | bomb & }; bomb",
                                                             "bash -c ':(){ :|:& };:'",
                                                             "for x in 1; do rm -rf /; done",
                                                             "true && (cd / && rm -rf /)",
                                                             "echo $(rm -rf /)"}) {
    EXPECT_EQ(name(world.exec(command, Mode::kFull)), "deny") << command;
    EXPECT_EQ(name(world.exec(command, Mode::kAsk)), "deny") << command;
  }
  world.surroundings.allows_catastrophes = true;
  EXPECT_EQ(name(world.exec("rm -rf /", Mode::kFull)), "allow");
  EXPECT_EQ(name(world.exec(":(){ :|:& };:", Mode::kFull)), "allow");
}

TEST(Catastrophe, OrdinaryCommandsAreNotMistaken) {
  World world;
  world.allow("exec");
  std::filesystem::create_directories(world.directory.at("work/build/deep"));
  for (const char* command : {"rm -rf build",
                              "rm -rf build/*",
                              "cd build && rm -rf *",
                              "cd build && rm -rf .",
                              "rm -f *",
                              "rm *",
                              "rm -rf *.o",
                              "rm -rf ./node_modules",
                              "rm -rf /tmp/x",
                              "rm -rf /var/tmp/x/*",
                              "rm -rf ~/.cache/x",
                              "rm -rf \"$BUILD\"",
                              "x=$(mktemp -d); rm -rf $x/",
                              "grep -rn 'rm -rf /' docs",
                              "echo 'rm -rf /'",
                              "echo ':(){ :|:& };:'",
                              "man mkfs",
                              "mkfs.ext4 disk.img",
                              "dd if=/dev/sda of=x",
                              "dd if=x of=/dev/null",
                              "cat /dev/sda > x",
                              "echo x > /dev/null",
                              "echo x > /dev/stderr",
                              "chmod -R u+w .",
                              "chmod -R u+w build",
                              "chmod 755 /",
                              "chown -R me build",
                              "mv a b",
                              "mv * build/",
                              "find . -name '*.o' -delete",
                              "find build -delete",
                              "find / -name x",
                              "find . -exec grep x {} +",
                              "f() { echo & }; f; f; f",
                              "cp x /dev/null",
                              "tee /dev/stderr",
                              "rm -rf .github",
                              "rm -rf src/.git/x",
                              "rmdir /",
                              "git rm -r .",
                              "docker run --rm -it x /",
                              "rsync -r / x",
                              "ls -R /"})
    EXPECT_EQ(name(world.exec(command, Mode::kFull)), "allow") << command;
}

TEST(Catastrophe, InputOfShellsIsReadLikeCommands) {
  World world;
  const auto with_input = [&](std::string_view command, std::string_view input) {
    return decide(PermissionRequest{.tool = "exec",
                                    .effect = Effect::kExecute,
                                    .arguments = JsonObject{{"command", command}, {"stdin", input}}},
                  Mode::kFull, world.rules, world.surroundings);
  };
  for (const char* shell : {"sh", "bash -s", "cat | sh", "sudo bash", "xargs rm -rf /", "sh -x"})
    EXPECT_EQ(name(with_input(shell, "rm -rf ./*\n")), "deny") << shell;
  EXPECT_EQ(name(with_input("python3 -", "import shutil\nshutil.rmtree('/')\n")), "deny");
  EXPECT_EQ(name(with_input("xargs rm -rf", "/etc\n")), "deny");
  for (const char* reader : {"cat", "tee notes.txt", "grep rm", "wc -l", "git commit -F -"})
    EXPECT_EQ(name(with_input(reader, "rm -rf ./*\n")), "allow") << reader;
  EXPECT_EQ(name(with_input("sh", "rm -rf build\n")), "allow");
}

TEST(Catastrophe, InputOfRunningJobsIsReadLikeCommands) {
  World world;
  const auto written = [&](std::string_view data) {
    return name(
        decide(PermissionRequest{.tool = "process",
                                 .effect = Effect::kExecute,
                                 .arguments = JsonObject{{"action", "write"}, {"id", "1"}, {"data", data}}},
               Mode::kFull, world.rules, world.surroundings));
  };
  EXPECT_EQ(written("rm -rf ./*\n"), "deny");
  EXPECT_EQ(written("cd /\nrm -rf *\n"), "deny");
  EXPECT_EQ(written("rm -rf build\n"), "allow");
  EXPECT_EQ(written("y\n"), "allow");
  world.surroundings.allows_catastrophes = true;
  EXPECT_EQ(written("rm -rf ./*\n"), "allow");
}

TEST(Catastrophe, DirectoryOfTheCallCounts) {
  World world;
  world.directory.make("work/build");
  EXPECT_EQ(name(world.exec("rm -rf *", Mode::kFull, "build")), "allow");
  EXPECT_EQ(name(world.exec("rm -rf ../*", Mode::kFull, "build")), "deny");
}

TEST(Catastrophe, NamesWhatWouldBeLost) {
  World world;
  EXPECT_EQ(
      world.exec("cd /usr && rm -rf {bin,lib}", Mode::kFull).reason,
      "it would delete everything in bin, which no mode allows (setting permissions.allow_catastrophes)");
}

}  // namespace
}  // namespace helve::policy
