#include "base/rustup.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/environment.h"
#include "base/file_io.h"
#include "base/find_program.h"
#include "base/strings.h"

namespace helve {
namespace {

// A symlink or a hard link to rustup.
bool is_proxy(const std::string& program) {
  const std::string real = real_path(program).value_or(program);
  if (real.ends_with("/rustup")) return true;
  struct stat own{};
  struct stat rustup{};
  const std::string beside = concat(program.substr(0, program.rfind('/')), "/rustup");
  return ::stat(program.c_str(), &own) == 0 && ::stat(beside.c_str(), &rustup) == 0 &&
         own.st_dev == rustup.st_dev && own.st_ino == rustup.st_ino;
}

std::string default_toolchain(const std::string& home) {
  const auto settings = read_file(concat(home, "/settings.toml"));
  if (!settings) return {};
  for (const std::string_view line : split(*settings, '\n')) {
    if (!line.starts_with("default_toolchain")) continue;
    const std::size_t open = line.find('"');
    const std::size_t close = line.rfind('"');
    if (open != close) return std::string(line.substr(open + 1, close - open - 1));
  }
  return {};
}

}  // namespace

std::optional<std::string> behind_rustup(const std::string& program) {
  if (!is_proxy(program)) return program;
  std::string home = environment_variable("RUSTUP_HOME");
  if (home.empty()) home = concat(environment_variable("HOME"), "/.rustup");
  const std::string tool = program.substr(program.rfind('/') + 1);
  const auto of_toolchain = [&](const std::string& name) {
    return concat(home, "/toolchains/", name, "/bin/", tool);
  };
  if (const std::string name = default_toolchain(home); !name.empty() && is_program(of_toolchain(name)))
    return of_toolchain(name);
  std::error_code ignored;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(concat(home, "/toolchains"), ignored))
    if (is_program(of_toolchain(entry.path().filename().string())))
      names.push_back(entry.path().filename().string());
  if (names.empty()) return std::nullopt;
  return of_toolchain(*std::ranges::max_element(names));
}

}  // namespace helve
