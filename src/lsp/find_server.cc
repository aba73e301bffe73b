#include "lsp/find_server.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>

#include "base/file_io.h"
#include "base/find_program.h"
#include "base/json_parse.h"
#include "base/rustup.h"
#include "base/strings.h"
#include "lsp/protocol.h"

namespace helve::lsp {
namespace {

constexpr auto kEnvironments = std::to_array<std::string_view>({".venv", "venv", "env"});

bool exists(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0;
}

bool has_file_like(const std::string& directory, const std::string& ending) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
    if (entry.path().filename().string().ends_with(ending)) return true;
  return false;
}

// The directory and its parents, up to the workspace.
std::vector<std::string> upwards(const std::string& directory, const std::string& workspace) {
  std::vector<std::string> found;
  for (std::string at = directory; is_within(at, workspace); at.resize(at.rfind('/'))) {
    found.push_back(at);
    if (at == workspace || at.rfind('/') == std::string::npos || at.rfind('/') == 0) break;
  }
  return found;
}

// TypeScript 7 is a native program in a package per architecture; tsc is only a wrapper.
std::optional<std::string> native_typescript(const std::string& modules) {
  const auto manifest = read_file(concat(modules, "/typescript/package.json"));
  if (!manifest) return std::nullopt;
  const auto json = parse_json(*manifest);
  if (!json) return std::nullopt;
  const std::string version = text_in(*json, "version");
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  if (major < 7) return std::nullopt;
#if defined(__aarch64__)
  constexpr std::string_view kMachine = "arm64";
#else
  constexpr std::string_view kMachine = "x64";
#endif
  for (const std::string& place :
       {concat(modules, "/@typescript"), concat(modules, "/typescript/node_modules/@typescript")}) {
    std::string program = concat(place, "/typescript-linux-", kMachine, "/lib/tsc");
    if (is_program(program)) return program;
  }
  return std::nullopt;
}

// Looks in npm's global node_modules, where the `tsc` in PATH points to.
std::optional<std::string> global_native_typescript() {
  const auto tsc = find_program("tsc");
  if (!tsc) return std::nullopt;
  const auto real = real_path(*tsc);
  if (!real) return std::nullopt;
  const std::size_t modules = real->rfind("/node_modules/");
  return modules == std::string::npos ? std::nullopt : native_typescript(real->substr(0, modules + 13));
}

std::optional<std::string> find_in_project(const ServerSpec& spec, const std::string& directory) {
  if (spec.native_typescript) return native_typescript(concat(directory, "/node_modules"));
  std::vector<std::string> places{concat(directory, "/node_modules/.bin/")};
  for (const std::string_view environment : kEnvironments)
    places.push_back(concat(directory, "/", environment, "/bin/"));
  for (const std::string& place : places)
    if (std::string program = concat(place, spec.command); is_program(program)) return program;
  return std::nullopt;
}

}  // namespace

std::optional<FoundProgram> find_server_program(const ServerSpec& spec, const workspace::Root& workspace,
                                                const std::string& project_root) {
  const std::vector<std::string> directories = upwards(project_root, workspace.path());
  std::optional<std::string> program;
  if (spec.command.find('/') != std::string::npos) {
    // A path in the settings may be relative to the workspace.
    const std::string path =
        spec.command.starts_with('/') ? spec.command : concat(workspace.path(), "/", spec.command);
    if (is_program(path)) program = path;
  } else {
    for (const std::string& directory : directories)
      if (!program) program = find_in_project(spec, directory);
    if (!program) program = spec.native_typescript ? global_native_typescript() : find_program(spec.command);
    for (const std::string& other : spec.other_commands)
      if (!program) program = find_program(other);
  }
  if (program) program = behind_rustup(*program);
  if (!program) return std::nullopt;
  FoundProgram found{.path = *program};
  // Entries of node_modules/.bin are symlinks. Even one that leaves the workspace was chosen by the
  // workspace.
  found.needs_sandbox = spec.runs_project_code || is_within(*program, workspace.path()) ||
                        is_within(real_path(*program).value_or(*program), workspace.path());
  // A program from elsewhere can run the workspace's code: `node tools/server.js`.
  for (const std::string& argument : spec.args) {
    const std::string word = argument.substr(argument.find('=') + 1);
    const std::string file = word.starts_with('/') ? word : concat(workspace.path(), "/", word);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored) &&
        is_within(real_path(file).value_or(file), workspace.path()))
      found.needs_sandbox = true;
  }
  // This server runs the compiler that it finds in the project.
  if (spec.name == "typescript-language-server")
    for (const std::string& directory : directories)
      if (exists(concat(directory, "/node_modules/typescript"))) found.needs_sandbox = true;
  return found;
}

int version_in_path(const std::string& program) {
  const std::string path = real_path(program).value_or(program);
  int version = 0;
  for (const std::string_view part : split(path, '/')) {
    const std::size_t dash = part.rfind('-');
    if (dash == std::string_view::npos || (!part.starts_with("llvm-") && !part.starts_with("clangd-")))
      continue;
    std::from_chars(part.data() + dash + 1, part.data() + part.size(), version);
  }
  return version;
}

std::string find_project_root(const ServerSpec& spec, const workspace::Root& workspace,
                              const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::vector<std::string> directories =
      upwards(path.substr(0, slash == std::string::npos ? 0 : slash), workspace.path());
  for (const std::string& directory : directories)
    for (const std::string& marker : spec.root_markers)
      if (marker.starts_with("*.") ? has_file_like(directory, marker.substr(1))
                                   : exists(concat(directory, "/", marker)))
        return directory;
  return workspace.path();
}

std::vector<std::string> find_site_packages(const workspace::Root& workspace,
                                            const std::string& project_root) {
  std::vector<std::string> found;
  for (const std::string& directory : upwards(project_root, workspace.path())) {
    for (const std::string_view environment : kEnvironments) {
      std::error_code ignored;
      for (const auto& entry :
           std::filesystem::directory_iterator(concat(directory, "/", environment, "/lib"), ignored))
        if (const std::string place = concat(entry.path().string(), "/site-packages"); exists(place))
          found.push_back(place);
    }
  }
  return found;
}

}  // namespace helve::lsp
