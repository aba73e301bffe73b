// A temporary directory for one test, with shorthands to write and read its files.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace helve {

class TestDirectory {
 public:
  // Other users may enter it with the usual mode, and write to it with 0777.
  explicit TestDirectory(mode_t mode = 0755) {
    const std::filesystem::path base = std::filesystem::temp_directory_path();
    std::string pattern = (base / "helve-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = std::filesystem::canonical(pattern).string();
    ::chmod(path_.c_str(), mode);
  }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;
  ~TestDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string at(std::string_view name) const { return path_ + "/" + std::string(name); }

  void write(std::string_view name, std::string_view content) const {
    std::filesystem::create_directories(std::filesystem::path(at(name)).parent_path());
    std::ofstream(at(name), std::ios::binary) << content;
  }
  void make(std::string_view name) const { std::filesystem::create_directories(at(name)); }
  void link(std::string_view target, std::string_view name) const {
    std::filesystem::create_directories(std::filesystem::path(at(name)).parent_path());
    std::filesystem::create_symlink(target, at(name));
  }
  [[nodiscard]] std::string read(std::string_view name) const {
    std::ifstream in(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] bool exists(std::string_view name) const {
    return std::filesystem::exists(std::filesystem::symlink_status(at(name)));
  }
  // Names of all entries, hidden ones too, sorted.
  [[nodiscard]] std::vector<std::string> names(std::string_view name = ".") const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(at(name)))
      all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  std::string path_;
};

// Runs `check` as an unprivileged user, in a child process when the tests run as root, and returns its
// result.
template <class Check>
bool holds_for_ordinary_user(const Check& check) {
  if (::geteuid() != 0) return check();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::setgid(65534) == 0 && ::setuid(65534) == 0 && check() ? 0 : 1);
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace helve
