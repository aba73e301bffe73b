// Helpers for tests: a runtime in a temporary directory.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/test_directory.h"
#include "helve/runtime.h"

namespace helve::testing {

// A runtime in mode full, with workspace and state in a temporary directory. Created on first use, so that a
// test can set options_ before.
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
    options_.launcher = "/proc/self/exe";  // see tests/unit/main.cc
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
