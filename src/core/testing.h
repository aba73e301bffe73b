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

// A runtime without built-in tools, with its workspace and state in a directory of its own.
class RuntimeFixture : public ::testing::Test {
 protected:
  RuntimeFixture() { std::filesystem::create_directory(directory_.file("workspace")); }

  Runtime& runtime() {
    if (!runtime_) {
      options_.workspace = directory_.file("workspace");
      options_.state_directory = directory_.file("state");
      options_.built_in_tools = false;
      if (!mode_set_) options_.settings.mode = Mode::kFull;
      options_.settings.log.level = LogLevel::kError;
      runtime_ = Runtime::create(options_).value();
    }
    return *runtime_;
  }
  void set_mode(Mode mode) {
    options_.settings.mode = mode;
    mode_set_ = true;
  }

  TemporaryDirectory directory_;
  RuntimeOptions options_;
  std::unique_ptr<Runtime> runtime_;
  bool mode_set_ = false;
};

}  // namespace helve::testing
