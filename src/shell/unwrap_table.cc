// A table of programs that run the rest of their words as a command.
#include <algorithm>

#include "base/strings.h"
#include "shell/analysis.h"
#include "shell/options.h"

namespace helve::shell {
namespace {

struct WrapperRow {
  std::string_view name;
  OptionTable options = {};
  std::size_t operands = 0;            // between the options and the command
  std::string_view no_command = {};    // options with which nothing runs
  std::string_view shell = {};         // options that start a shell
  bool shell_without_command = false;  // starts a shell when there is no command
};

constexpr WrapperRow kWrappers[] = {
    {.name = "builtin"},
    {.name = "chroot",
     .options = {.long_flags = "skip-chdir", .long_values = "groups userspec"},
     .operands = 1,
     .shell_without_command = true},
    {.name = "chrt",
     .options = {.flags = "abdfiorRmvp",
                 .values = "TPD",
                 .long_flags = "all-tasks batch deadline fifo idle other rr reset-on-fork max verbose pid",
                 .long_values = "sched-runtime sched-period sched-deadline"},
     .operands = 1,
     .no_command = "p pid m max"},
    {.name = "command", .options = {.flags = "pvV"}, .no_command = "v V"},
    {.name = "doas", .options = {.flags = "nLs", .values = "uCa"}, .no_command = "L C", .shell = "s"},
    {.name = "exec", .options = {.flags = "cl", .values = "a"}},
    {.name = "ionice",
     .options = {.flags = "t",
                 .values = "cnpPu",
                 .long_flags = "ignore",
                 .long_values = "class classdata pid pgid uid"},
     .no_command = "p P u pid pgid uid"},
    {.name = "ltrace", .options = {.flags = "bcCfiLrStT", .values = "aADeFlnopsuwxX"}, .no_command = "p"},
    {.name = "nice", .options = {.flags = "0123456789", .values = "n", .long_values = "adjustment"}},
    {.name = "nohup"},
    {.name = "nsenter",
     .options = {.flags = "aFe",
                 .values = "t",
                 .attached = "muinpCUTrwGS",
                 .long_flags = "all no-fork",
                 .long_values = "target"},
     .shell_without_command = true},
    {.name = "setpriv",
     .options = {.flags = "d",
                 .long_flags = "clear-groups init-groups keep-groups no-new-privs nnp reset-env dump",
                 .long_values =
                     "ambient-caps inh-caps bounding-set egid euid rgid ruid regid reuid groups securebits "
                     "pdeathsig selinux-label apparmor-profile"},
     .no_command = "d dump"},
    {.name = "setsid", .options = {.flags = "cfw", .long_flags = "ctty fork wait"}},
    {.name = "stdbuf", .options = {.values = "ioe", .long_values = "input output error"}},
    {.name = "taskset",
     .options = {.flags = "acp", .long_flags = "all-tasks cpu-list pid"},
     .operands = 1,
     .no_command = "p pid"},
    {.name = "time",
     .options = {.flags = "apqvV",
                 .values = "fo",
                 .long_flags = "append portability quiet verbose version",
                 .long_values = "format output"}},
    {.name = "timeout",
     .options = {.flags = "fpv",
                 .values = "ks",
                 .long_flags = "foreground preserve-status verbose",
                 .long_values = "kill-after signal"},
     .operands = 1},
    {.name = "unshare",
     .options =
         {.flags = "muinpUCTfrc",
          .values = "SGRw",
          .long_flags =
              "fork map-root-user map-current-user map-auto keep-caps mount uts ipc net pid user cgroup "
              "time mount-proc kill-child",
          .long_values =
              "propagation setgroups map-user map-group map-users map-groups root wd setuid setgid "
              "boottime monotonic"},
     .shell_without_command = true},
};
static_assert(std::ranges::is_sorted(kWrappers, {}, &WrapperRow::name));

// Programs that run others with syntax that is not supported.
constexpr std::string_view kOpaque[] = {
    "ansible",
    "arch-chroot",
    "at",
    "batch",
    "bpftrace",
    "bwrap",
    "catchsegv",
    "cgexec",
    "chpst",
    "csh",
    "dbus-launch",
    "dbus-run-session",
    "distrobox",
    "elvish",
    "entr",
    "fakechroot",
    "fakeroot",
    "firejail",
    "fish",
    "gdbserver",
    "linux32",
    "linux64",
    "machinectl",
    "newgrp",
    "nix-shell",
    "nu",
    "numactl",
    "osascript",
    "parallel",
    "pdsh",
    "perf",
    "pkexec",
    "powershell",
    "proot",
    "proxychains",
    "proxychains4",
    "prlimit",
    "pwsh",
    "rlwrap",
    "rsh",
    "run-parts",
    "runcon",
    "runuser",
    "rush",
    "screen",
    "setarch",
    "sg",
    "softlimit",
    "start-stop-daemon",
    "systemd-nspawn",
    "systemd-run",
    "tclsh",
    "tcsh",
    "tmux",
    "toolbox",
    "torsocks",
    "unbuffer",
    "uunshare",
    "valgrind",
    "xonsh",
    "xterm",
};

}  // namespace

bool is_in_wrapper_table(std::string_view program) {
  return std::ranges::find(kWrappers, program, &WrapperRow::name) != std::end(kWrappers) ||
         std::ranges::find(kOpaque, program) != std::end(kOpaque);
}

bool unwrap_by_table(const Wrapper& wrapper) {
  if (std::ranges::find(kOpaque, wrapper.name) != std::end(kOpaque)) {
    wrapper.doubt(concat(wrapper.name, " runs other programs"));
    return true;
  }
  const auto* row = std::ranges::find(kWrappers, wrapper.name, &WrapperRow::name);
  if (row == std::end(kWrappers)) return false;
  const auto& words = wrapper.command.words;
  const OptionsRead options = read_options(words, 1, row->options);
  if (!options.understood) {
    wrapper.doubt_options();
    return true;
  }
  const auto has_one_of = [&](std::string_view list) {
    return std::ranges::any_of(options.found,
                               [&](const FoundOption& option) { return lists(list, option.name); });
  };
  if (has_one_of(row->no_command)) return true;
  const std::size_t from = options.next + row->operands;
  for (std::size_t i = options.next; i < std::min(from, words.size()); ++i)
    if (!is_one_word(words[i]))
      wrapper.doubt(concat("the command that ", wrapper.name, " runs depends on an expansion"));
  if (has_one_of(row->shell) || (from >= words.size() && row->shell_without_command))
    wrapper.doubt(concat(wrapper.name, " starts a shell"));
  wrapper.runs_words(from);
  return true;
}

}  // namespace helve::shell
