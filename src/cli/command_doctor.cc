// helve doctor: checks the machine and reports what is missing and how to install it.
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/command.h"
#include "cli/doctor_disk.h"
#include "cli/doctor_programs.h"
#include "core/audit.h"
#include "core/rule_book.h"
#include "helve/settings/audit.h"
#include "helve/settings/permissions.h"
#include "helve/settings/sandbox.h"
#include "sandbox/sandbox.h"
#include "settings/directories.h"
#include "settings/groups.h"

namespace helve::cli {
namespace {

using State = Finding::State;

Finding check_kernel() {
  utsname names{};
  ::uname(&names);
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_DIRECTORY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof how)));
  if (!fd)
    return {State::kWarning, "kernel",
            concat("Linux ", names.release, " cannot openat2 (", errno_text(errno),
                   "); file tools use a slower fallback"),
            "Use Linux 5.6 or newer."};
  return {State::kGood, "kernel", concat("Linux ", names.release, ", openat2 works")};
}

Finding check_workspace(const app::Invocation& shell) {
  const auto path = shell.workspace();
  if (!path) return {State::kBad, "workspace", path.error().message, path.error().hint};
  if (::access(path->c_str(), W_OK) != 0)
    return {State::kWarning, "workspace", concat(*path, " cannot be written"),
            "Files can be read, but not changed."};
  return {State::kGood, "workspace", *path};
}

Finding check_config(const Expected<settings::Config>& config) {
  if (!config) return {State::kBad, "configuration", config.error().message, config.error().hint};
  const auto set = std::ranges::count_if(
      config->entries, [](const settings::Config::Entry& entry) { return entry.origin != "default"; });
  return {State::kGood, "configuration",
          concat(count_of(static_cast<std::size_t>(set), "setting"), " differ from the defaults")};
}

Finding check_rules(const app::Invocation& shell) {
  const auto runtime = shell.runtime(Mode::kAsk);
  if (!runtime) return {State::kBad, "rules", runtime.error().message, runtime.error().hint};
  const PermissionSettings& permissions = settings::Groups((*runtime)->settings()).permissions;
  std::vector<std::string> warnings;
  const auto sources = shell.config_sources();
  const auto rules = core::RuleBook::load(
      permissions,
      {.workspace = (*runtime)->workspace(), .home = real_path(settings::home_directory()).value_or("")},
      sources && sources->project.is_trusted(), {}, warnings);
  std::string number =
      count_of(permissions.deny.size() + permissions.ask.size() + permissions.allow.size(), "rule");
  if (warnings.empty()) return {State::kGood, "rules", std::move(number)};
  return {State::kWarning, "rules",
          concat(number, ", ", warnings.size(), " of them without effect: ", warnings.front()),
          "Fix or remove it; helve config paths lists the files."};
}

Finding check_state() {
  const auto directory = settings::default_state_directory();
  if (!directory) return {State::kBad, "state", directory.error().message, directory.error().hint};
  if (auto made = make_private_directories(*directory); !made)
    return {State::kBad, "state", made.error().message, "Make it writable."};
  struct stat status{};
  if (::stat(directory->c_str(), &status) == 0 && (status.st_mode & 077) != 0)
    return {State::kWarning, "state", concat(*directory, " can be read by others"),
            concat("chmod 700 ", *directory)};
  return {State::kGood, "state", *directory};
}

Finding check_audit(bool is_enabled) {
  const auto directory = settings::default_state_directory();
  if (!directory) return {State::kWarning, "audit", "there is no state directory"};
  const auto report = core::verify_audit(concat(*directory, "/audit.jsonl"));
  if (report && !report->lost_in_crash.empty())
    return {State::kWarning, "audit", "its newest records are missing since the machine restarted",
            "If there was no power failure, find out what can write there."};
  if (report) return {State::kGood, "audit", concat(count_of(report->records, "record"), ", chain unbroken")};
  if (report.error().code == ErrorCode::kNotFound) {
    // Changes leave a history, and the audit is written before them.
    if (!is_enabled || !path_exists(concat(*directory, "/history")))
      return {State::kGood, "audit", "no records yet"};
    return {State::kWarning, "audit",
            concat(*directory, "/audit.jsonl is missing, although Helve made changes"),
            "If nobody removed it on purpose, find out what can write there."};
  }
  return {State::kBad, "audit", report.error().message, report.error().hint};
}

// One finding for the available parts, and one for each missing part.
std::vector<Finding> check_sandbox(const SandboxSettings& settings) {
  std::vector<Finding> findings;
  std::vector<std::string> good;
  for (const sandbox::PartState& part : sandbox::probe_machine()) {
    const std::string name(sandbox::part_name(part.part));
    if (part.available)
      good.push_back(part.detail.empty() ? name : concat(name, " (", part.detail, ")"));
    else
      findings.push_back({part.part == sandbox::Part::kCgroup ? State::kGood : State::kWarning, "sandbox",
                          concat("no ", name), part.detail});
  }
  findings.insert(findings.begin(), {State::kGood, "sandbox", join(good, ", ")});
  if (settings.level == SandboxLevel::kOff)
    findings.push_back(
        {State::kWarning, "sandbox", "is off in the settings", "Set sandbox.level to workspace-write."});
  return findings;
}

struct Doctor {
  static constexpr std::string_view kName = "doctor";
  static constexpr std::string_view kSummary = "Check this machine and report what is missing";
  static constexpr std::string_view kDetails =
      "ok; warning: works, with limits; missing: an optional program, its use and the command that installs\n"
      "it; problem: must be fixed first. The exit code is 3 if there is a problem.";

  struct Options {
    void describe(ParamSpec&) {}
  };

  int run(const app::Invocation& shell, const Options&) const {
    const auto config = shell.config();
    std::vector<Finding> findings{check_kernel(), check_workspace(shell), check_config(config)};
    if (config) findings.push_back(check_rules(shell));  // otherwise it repeats the same problem
    findings.push_back(check_state());
    findings.push_back(check_audit(config && settings::Groups(*config->settings).audit.enabled));
    const auto add = [&](std::vector<Finding> more) {
      std::ranges::move(more, std::back_inserter(findings));
    };
    const auto all_settings = config ? config->settings : settings::default_settings();
    const settings::Groups settings = *all_settings;
    add(check_disk({.state_directory = settings::default_state_directory().value_or(""),
                    .data_directory = settings::default_data_directory().value_or("")},
                   settings));
    add(check_sandbox(settings.sandbox));
    add(check_programs(settings.search));
    add(check_language_servers(shell.options().workspace, settings.lsp));
    add(check_checkers());
    add(check_mcp_programs(settings.mcp_servers));
    if (shell.options().json)
      print_json(shell, findings);
    else
      print(shell.terminal(), findings);
    const bool bad =
        std::ranges::any_of(findings, [](const Finding& finding) { return finding.state == State::kBad; });
    return bad ? app::kSetup : app::kOk;
  }

 private:
  static std::string_view word(State state) {
    switch (state) {
      case State::kGood: return "ok";
      case State::kWarning: return "warning";
      case State::kMissing: return "missing";
      case State::kBad: break;
    }
    return "problem";
  }

  static void print(const app::Printer& terminal, const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      const terminal::Colour colour = finding.state == State::kGood      ? terminal::Colour::kGreen
                                      : finding.state == State::kMissing ? terminal::Colour::kDim
                                      : finding.state == State::kWarning ? terminal::Colour::kYellow
                                                                         : terminal::Colour::kRed;
      const std::string state(word(finding.state));
      terminal.out(concat(terminal.paint(colour, state), std::string(9 - state.size(), ' '),
                          terminal.paint(terminal::Colour::kBold, finding.subject),
                          std::string(15 - finding.subject.size(), ' '),
                          replace_all(finding.what, "\n", concat("\n", std::string(24, ' '))), "\n"));
      if (!finding.remedy.empty())
        terminal.out(
            concat(std::string(24, ' '), terminal.paint(terminal::Colour::kCyan, finding.remedy), "\n"));
    }
  }

  static void print_json(const app::Invocation& shell, const std::vector<Finding>& findings) {
    JsonArray list;
    for (const Finding& finding : findings)
      list.push_back(JsonObject{{"subject", finding.subject},
                                {"state", word(finding.state)},
                                {"what", finding.what},
                                {"remedy", finding.remedy},
                                {"program", finding.program},
                                {"install", finding.install}});
    shell.print_json(list);
  }
};

}  // namespace

std::unique_ptr<Command> make_doctor_command() { return std::make_unique<TypedCommand<Doctor>>(); }

}  // namespace helve::cli
