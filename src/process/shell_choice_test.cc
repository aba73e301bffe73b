#include "process/shell_choice.h"

#include <gtest/gtest.h>

#include <set>

#include "process/testing.h"

namespace helve::process {
namespace {

// A machine with exactly these programs, all in /bin.
FindProgram machine_with(std::set<std::string> names) {
  return [names = std::move(names)](const std::string& name) -> std::optional<std::string> {
    const std::string base = name.starts_with("/bin/") ? name.substr(5) : name;
    if (!names.contains(base)) return {};
    return "/bin/" + base;
  };
}

TEST(ShellChoice, UsesALoginShellOfTheBourneFamily) {
  const auto find = machine_with({"bash", "zsh", "sh", "ksh", "fish"});
  EXPECT_EQ(detect_shell("/bin/zsh", find), (Shell{ShellKind::kZsh, "/bin/zsh"}));
  EXPECT_EQ(detect_shell("/bin/ksh", find), (Shell{ShellKind::kSh, "/bin/ksh"}));
}

TEST(ShellChoice, SkipsShellsThatModelsDoNotWriteFor) {
  EXPECT_EQ(detect_shell("/bin/fish", machine_with({"bash", "sh", "fish"})),
            (Shell{ShellKind::kBash, "/bin/bash"}));
  EXPECT_EQ(detect_shell("/bin/fish", machine_with({"sh", "fish"})), (Shell{ShellKind::kSh, "/bin/sh"}));
  EXPECT_EQ(detect_shell("", machine_with({})), Shell{});
}

TEST(ShellChoice, SkipsAMissingLoginShell) {
  EXPECT_EQ(detect_shell("/bin/zsh", machine_with({"bash"})), (Shell{ShellKind::kBash, "/bin/bash"}));
  EXPECT_EQ(detect_shell("zsh", machine_with({"bash", "zsh"})), (Shell{ShellKind::kBash, "/bin/bash"}))
      << "a relative path could be in the workspace";
}

TEST(ShellChoice, UsesTheSetting) {
  const auto find = machine_with({"bash", "zsh", "sh", "pwsh"});
  EXPECT_EQ(*choose_shell("zsh", "/bin/bash", find), (Shell{ShellKind::kZsh, "/bin/zsh"}));
  EXPECT_EQ(*choose_shell("/bin/sh", "/bin/bash", find), (Shell{ShellKind::kSh, "/bin/sh"}));
  EXPECT_EQ(*choose_shell("powershell", "", find), (Shell{ShellKind::kPowerShell, "/bin/pwsh"}));
  EXPECT_EQ(*choose_shell("auto", "/bin/zsh", find), (Shell{ShellKind::kZsh, "/bin/zsh"}));
}

TEST(ShellChoice, ReportsAnUnsupportedOrMissingSetting) {
  const auto strange = choose_shell("fish", "", machine_with({"fish"}));
  ASSERT_FALSE(strange);
  EXPECT_EQ(strange.error().message, "The shell setting \"fish\" is not a supported shell.");
  const auto missing = choose_shell("zsh", "", machine_with({"bash"}));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

TEST(ShellChoice, ArgumentsDisableStartupFiles) {
  using Line = std::vector<std::string>;
  EXPECT_EQ(shell_arguments({ShellKind::kBash, "/b"}, "x"), (Line{"/b", "--noprofile", "--norc", "-c", "x"}));
  EXPECT_EQ(shell_arguments({ShellKind::kZsh, "/z"}, "x"), (Line{"/z", "-f", "-c", "x"}));
  EXPECT_EQ(shell_arguments({ShellKind::kSh, "/s"}, "x"), (Line{"/s", "-c", "x"}));
  EXPECT_EQ(shell_arguments({ShellKind::kPowerShell, "/p"}, "x"),
            (Line{"/p", "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", "x"}));
  EXPECT_EQ(shell_arguments({ShellKind::kCmd, "cmd.exe"}, "x"), (Line{"cmd.exe", "/d", "/s", "/c", "x"}));
}

TEST(ShellChoice, FindsOnlyExecutables) {
  EXPECT_TRUE(find_program("sh"));
  EXPECT_FALSE(find_program("/etc/passwd"));
  EXPECT_FALSE(find_program("/etc"));
  EXPECT_FALSE(find_program("bin/sh"));
}

class InstalledShells : public JobsTest {};

TEST_F(InstalledShells, RunCommandsWithoutStartupFiles) {
  // If one of these is read, it writes to the output.
  for (const char* file : {".bashrc", ".bash_profile", ".zshrc", ".zshenv", ".profile"})
    std::ofstream(concat(directory_.path(), "/", file)) << "echo started by " << file << "\n";
  int tried = 0;
  for (const char* name : {"bash", "zsh", "dash", "sh", "ksh"}) {
    const auto shell = choose_shell(name, "");
    if (!shell) continue;
    ++tried;
    auto request = shell_request(directory_, "");
    request.launch.argv = shell_arguments(*shell, "echo \"$HOME\" | wc -l; exit 4");
    std::erase_if(request.launch.environment, [](const std::string& it) { return it.starts_with("HOME="); });
    request.launch.environment.push_back("HOME=" + directory_.path());
    const auto job = run(std::move(request));
    EXPECT_EQ(text_of(*job), "1\n") << name;
    EXPECT_EQ(job->status().exit_code, 4) << name;
  }
  EXPECT_GE(tried, 2);
}

}  // namespace
}  // namespace helve::process
