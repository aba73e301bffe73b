#include "cli/doctor_programs.h"

#include <unistd.h>

#include <algorithm>

#include "base/environment.h"
#include "base/find_program.h"
#include "base/strings.h"
#include "checkers/checker_table.h"
#include "helve/settings/lsp.h"
#include "helve/settings/mcp_server.h"
#include "helve/settings/search.h"
#include "http/curl_library.h"
#include "lsp/servers.h"

namespace helve::cli {
namespace {

using State = Finding::State;

Finding found(std::string_view name, std::string_view what_for, std::string path) {
  return {.state = State::kGood,
          .subject = "program",
          .what = concat(name, " (", path, "): ", what_for),
          .program = std::move(path)};
}

Finding missing(std::string_view name, std::string_view what_for, std::string install) {
  return {.state = State::kMissing,
          .subject = "program",
          .what = concat(name, " is not installed: ", what_for),
          .remedy = install,
          .program = std::string(name),
          .install = std::move(install)};
}

Finding check_program(const std::string& name, std::string_view what_for, std::string install) {
  if (auto path = find_program(name)) return found(name, what_for, *std::move(path));
  return missing(name, what_for, std::move(install));
}

Finding check_ripgrep(const SearchSettings& settings) {
  Finding finding = check_program(settings.ripgrep,
                                  settings.engine == SearchEngine::kRipgrep
                                      ? "searches contents (search.engine)"
                                      : "can search contents instead of Helve (search.engine=ripgrep)",
                                  "apt install ripgrep");
  if (finding.state == State::kMissing && settings.engine == SearchEngine::kRipgrep) {
    finding.state = State::kWarning;
    finding.remedy += ", or set search.engine to auto; until then Helve's own search is used";
  }
  return finding;
}

Finding check_curl() {
  constexpr std::string_view kWhatFor = "helve agent and MCP servers with a URL need it";
  const auto loaded = http::load_curl();
  if (loaded)
    return {.state = State::kGood,
            .subject = "library",
            .what = concat("libcurl: ", kWhatFor),
            .program = "libcurl.so.4"};
  return {.state = State::kMissing,
          .subject = "library",
          .what = concat("libcurl cannot be loaded: ", kWhatFor),
          .remedy = "apt install libcurl4",
          .program = "libcurl.so.4",
          .install = "apt install libcurl4"};
}

// The default path of libcurl on Debian.
Finding check_certificates() {
  constexpr const char* kFile = "/etc/ssl/certs/ca-certificates.crt";
  if (::access(kFile, R_OK) == 0)
    return {.state = State::kGood,
            .subject = "library",
            .what = "certificates of the authorities that https needs",
            .program = kFile};
  return {.state = State::kMissing,
          .subject = "library",
          .what = "no certificates of authorities: https needs them",
          .remedy = "apt install ca-certificates",
          .program = kFile,
          .install = "apt install ca-certificates"};
}

// The first word of $VISUAL or $EDITOR, or the default.
Finding check_editor() {
  for (const char* variable : {"VISUAL", "EDITOR"}) {
    const std::string value = environment_variable(variable);
    const std::string_view command = trim(value);
    if (command.empty()) continue;
    const std::string name(command.substr(0, command.find(' ')));
    const std::string what_for = concat("helve snippets edit opens it ($", variable, ")");
    if (auto path = find_program(name)) return found(name, what_for, *std::move(path));
    return {
        .state = State::kMissing,
        .subject = "program",
        .what = concat("$", variable, " is ", name, ", which is not installed: helve snippets edit needs it"),
        .remedy = concat("Set ", variable, " to an installed editor."),
        .program = name};
  }
  return check_program("vi", "helve snippets edit opens it, unless VISUAL or EDITOR is set",
                       "apt install vim");
}

bool is_there(const lsp::ServerStatus& server) {
  return server.state != lsp::ServerStatus::State::kMissing &&
         server.state != lsp::ServerStatus::State::kDisabled;
}

}  // namespace

std::vector<Finding> check_programs(const SearchSettings& settings) {
  return {check_program("bash", "runs commands unless your login shell does; otherwise sh is used",
                        "apt install bash"),
          check_program("git", "for commands; file tools and undo do not need it", "apt install git"),
          check_ripgrep(settings),
          check_editor(),
          check_curl(),
          check_certificates()};
}

std::vector<Finding> check_language_servers(const std::string& workspace, const LspSettings& settings) {
  const auto root = workspace::Root::open(workspace);
  if (!root) return {};  // check_workspace() reports it
  lsp::Servers servers({.workspace = &*root, .settings = &settings, .launcher = "/proc/self/exe"});
  const std::vector<lsp::ServerStatus> all = servers.status(false, {.deadline = lsp::Clock::now()});
  std::vector<Finding> findings;
  std::vector<std::string> done;  // the first language of each group
  for (const lsp::ServerStatus& server : all) {
    if (server.languages.empty() || server.state == lsp::ServerStatus::State::kDisabled) continue;
    const std::string& language = server.languages.front();
    if (std::ranges::find(done, language) != done.end()) continue;
    done.push_back(language);
    const auto best = std::ranges::find_if(all, [&](const lsp::ServerStatus& other) {
      return is_there(other) && std::ranges::find(other.languages, language) != other.languages.end();
    });
    const std::string languages = join(server.languages, ", ");
    if (best != all.end()) {
      findings.push_back({.state = State::kGood,
                          .subject = "language",
                          .what = concat(languages, ": ", best->name, " (", best->program, ")"),
                          .program = best->program});
      continue;
    }
    findings.push_back({.state = State::kMissing,
                        .subject = "language",
                        .what = concat(languages,
                                       ": no language server; definitions, references and "
                                       "diagnostics need one"),
                        .remedy = server.install,
                        .program = server.name,
                        .install = server.install});
  }
  return findings;
}

std::vector<Finding> check_checkers() {
  using checkers::CheckerStatus;
  const std::vector<CheckerStatus> all = checkers::checker_status();
  std::vector<Finding> findings;
  std::vector<std::string> done;  // purpose and first language
  for (const CheckerStatus& first : all) {
    const std::string_view noun = checkers::noun_of(first.spec->purpose);
    const std::vector<std::string_view> languages = checkers::words_of(first.spec->languages);
    std::string group = concat(noun, " ", languages.front());
    if (std::ranges::find(done, group) != done.end()) continue;
    done.push_back(std::move(group));
    const auto best = std::ranges::find_if(all, [&](const CheckerStatus& other) {
      const std::vector<std::string_view> of_other = checkers::words_of(other.spec->languages);
      return other.spec->purpose == first.spec->purpose && !other.program.empty() &&
             std::ranges::find(of_other, languages.front()) != of_other.end();
    });
    const std::string named = replace_all(first.spec->languages, " ", ", ");
    if (best != all.end())
      findings.push_back({.state = State::kGood,
                          .subject = std::string(noun),
                          .what = concat(named, ": ", best->spec->name, " (", best->program, ")"),
                          .program = best->program});
    else
      findings.push_back(
          {.state = State::kMissing,
           .subject = std::string(noun),
           .what = concat(named, ": no ", noun, "; ",
                          first.spec->purpose == checkers::Purpose::kFormat ? "format_code" : "lint_code",
                          " needs one, in PATH or in the project"),
           .remedy = std::string(first.spec->install),
           .program = std::string(first.spec->name),
           .install = std::string(first.spec->install)});
  }
  return findings;
}

std::vector<Finding> check_mcp_programs(const std::map<std::string, McpServerSettings>& servers) {
  std::vector<Finding> findings;
  for (const auto& [name, server] : servers) {
    if (!server.enabled || server.command.empty() || server.command.find('$') != std::string::npos) continue;
    if (server.command.find('/') != std::string::npos && !server.command.starts_with('/')) continue;
    if (find_program(server.command)) continue;
    findings.push_back({.state = State::kWarning,
                        .subject = "mcp server",
                        .what = concat(name, " needs ", server.command, ", which is not installed"),
                        .remedy = concat("Install it, or helve mcp remove ", name, "."),
                        .program = server.command});
  }
  return findings;
}

}  // namespace helve::cli
