// Helpers for tests: a runtime in a directory of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "helve/runtime.h"
#include "workspace/test_directory.h"

namespace helve::testing {

// A runtime in mode full, with its workspace and state in a directory of its own. It is made when it is first
// needed, so that a test can set options_ before.
class RuntimeFixture : public ::testing::Test {
 protected:
  explicit RuntimeFixture(bool built_in_tools = false) {
    std::filesystem::create_directory(directory_.at("workspace"));
    options_.workspace = directory_.at("workspace");
    options_.state_directory = directory_.at("state");
    options_.data_directory = directory_.at("data");
    options_.built_in_tools = built_in_tools;
    options_.settings.mode = Mode::kFull;
    options_.settings.log.level = LogLevel::kError;
    options_.launcher = "/proc/self/exe";  // see cmake/test_main.cc
  }

  Runtime& runtime() {
    if (!runtime_) runtime_ = Runtime::create(options_).value();
    return *runtime_;
  }
  // As after a restart of the program.
  void restart() { runtime_.reset(); }

  TestDirectory directory_;
  RuntimeOptions options_;
  std::unique_ptr<Runtime> runtime_;
};

}  // namespace helve::testing
