// The answers of exec on machines that lack parts of the sandbox. A filter on system calls makes such a
// machine of a child process; its own children have it too.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <functional>

#include "base/file_io.h"
#include "base/strings.h"
#include "tools/testing.h"

namespace helve {
namespace {

bool take_away(unsigned system_call) {
  std::array<sock_filter, 4> program = {{
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, system_call},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  }};
  sock_fprog filter{program.size(), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

class ExecLacksTest : public testing::ToolTest {
 protected:
  // The content of the answer, or the error with its hint, and what the data says is lacking.
  std::string exec(const std::string& command) {
    const Answer answer = call("exec", {{"command", command}});
    if (!answer.ok())
      return concat("error: ", answer.result.error().message, "\nhint: ", answer.result.error().hint);
    const Json* lacks = answer.result->data.find("sandboxLacks");
    return concat(answer.result->content, lacks == nullptr ? "" : to_text(*lacks));
  }
  // Before this the test has no threads.
  static std::string without(std::initializer_list<unsigned> system_calls,
                             const std::function<std::string()>& what) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
    const UniqueFd from(ends[0]);
    UniqueFd to(ends[1]);
    const pid_t child = ::fork();
    if (child == 0) {
      bool ready = true;
      for (const unsigned system_call : system_calls) ready = take_away(system_call) && ready;
      const auto written = write_all(to.get(), ready ? what() : "no filter");
      ::_exit(written ? 0 : 1);
    }
    to.reset();
    std::string text = read_all(from.get(), std::size_t{1} << 20).value_or("nothing came");
    ::waitpid(child, nullptr, 0);
    return text;
  }
};

TEST_F(ExecLacksTest, WhatIsLackingIsRefusedByNameWithTheSettingThatDoesWithout) {
  const std::string said = without({SYS_landlock_create_ruleset}, [&] { return exec("touch ran"); });
  EXPECT_TRUE(said.starts_with("error: The sandbox lacks its Landlock: ")) << said;
  EXPECT_THAT(said, ::testing::HasSubstr("sandbox.may_lack"));
  EXPECT_FALSE(exists("ran"));
}

TEST_F(ExecLacksTest, RunsWhereAContainerRefusesTheNewestCalls) {
  options_.settings.sandbox.level = SandboxLevel::kOff;
  EXPECT_EQ(without({SYS_clone3}, [&] { return exec("echo ran"); }), "ran\n");
}

TEST_F(ExecLacksTest, WhatTheSettingsAllowToLackIsDoneWithoutAndTheAnswerSaysSo) {
  options_.settings.sandbox.may_lack = {SandboxPart::kLandlock};
  EXPECT_EQ(without({SYS_landlock_create_ruleset},
                    [&] { return exec("echo ran; touch /etc/x 2>/dev/null || echo no"); }),
            "ran\nno\n(Run without Landlock, as the settings allow.)\n[\"Landlock\"]");
  EXPECT_EQ(without({}, [&] { return exec("echo ran"); }), "ran\n") << "nothing is lacking here";
}

TEST_F(ExecLacksTest, AllThatIsLackingIsNamed) {
  options_.settings.sandbox.may_lack = {SandboxPart::kSeccomp, SandboxPart::kLandlock};
  const std::string said =
      without({SYS_landlock_create_ruleset, SYS_seccomp}, [&] { return exec("exit 4"); });
  EXPECT_TRUE(said.starts_with("(exit code 4 after ")) << said;
  EXPECT_TRUE(said.ends_with(
      "(Run without Landlock, seccomp filter, as the settings allow.)\n"
      "(Its changes cannot be undone: this machine does not let Helve see what commands change "
      "(Function not implemented).)\n"
      "[\"Landlock\",\"seccomp filter\"]"))
      << said;
  options_.settings.sandbox.may_lack = {SandboxPart::kSeccomp};
  EXPECT_TRUE(without({SYS_landlock_create_ruleset, SYS_seccomp}, [&] {
                return exec("touch ran");
              }).starts_with("error: The sandbox lacks its Landlock: "));
  EXPECT_FALSE(exists("ran"));
}

}  // namespace
}  // namespace helve
