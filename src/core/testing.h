// Helpers for tests: a temporary directory and a runtime in it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "helve/runtime.h"

namespace helve::testing {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "helve-test-XXXXXX").string();
    path_ = std::filesystem::canonical(::mkdtemp(name.data())).string();
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A runtime in mode full, with its workspace and state in a directory of its own. It is made when it is first
// needed, so that a test can set options_ before.
class RuntimeFixture : public ::testing::Test {
 protected:
  explicit RuntimeFixture(bool built_in_tools = false) {
    std::filesystem::create_directory(directory_.file("workspace"));
    options_.workspace = directory_.file("workspace");
    options_.state_directory = directory_.file("state");
    options_.built_in_tools = built_in_tools;
    options_.settings.mode = Mode::kFull;
    options_.settings.log.level = LogLevel::kError;
  }

  Runtime& runtime() {
    if (!runtime_) runtime_ = Runtime::create(options_).value();
    return *runtime_;
  }
  // As after a restart of the program.
  void restart() { runtime_.reset(); }

  TemporaryDirectory directory_;
  RuntimeOptions options_;
  std::unique_ptr<Runtime> runtime_;
};

}  // namespace helve::testing
