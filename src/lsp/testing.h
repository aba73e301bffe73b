// Test helpers for language servers: a workspace and a fake server with configurable faults.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json_parse.h"
#include "base/strings.h"
#include "base/test_directory.h"
#include "helve/settings/lsp.h"
#include "lsp/questions.h"
#include "lsp/servers.h"
#include "process/testing.h"
#include "unit/places.h"

namespace helve::lsp {

// Long enough for a slow machine.
inline WaitLimit in_time(std::chrono::milliseconds time = std::chrono::milliseconds(60'000)) {
  return {.deadline = Clock::now() + time};
}

class LspTest : public testing::Test {
 public:
  LspTest() {
    directory_.make("workspace");
    settings_.start_seconds = 30;
    settings_.ready_seconds = 20;
  }
  ~LspTest() override { servers_.reset(); }

  void use_fake(const std::string& faults) {
    settings_.servers["fake"] = {
        .command = "/usr/bin/python3",
        .args = std::vector<std::string>{places::in_source("tests/lsp/fake_server.py"), faults,
                                         directory_.at("log")},
        .files = std::vector<std::string>{"*.fake"}};
  }
  Servers& servers() {
    if (!root_) root_.emplace(workspace::Root::open(directory_.at("workspace")).value());
    if (!servers_) {
      options_.workspace = &*root_;
      options_.settings = &settings_;
      options_.launcher = "/proc/self/exe";
      servers_ = std::make_unique<Servers>(options_);
    }
    return *servers_;
  }
  Questions questions() { return Questions({.servers = servers(), .logger = logger_, .engine = engine_}); }

  void write(const std::string& name, std::string_view text) { directory_.write("workspace/" + name, text); }
  std::string path(const std::string& name) const { return directory_.at("workspace/" + name); }

  // The messages that the fake server received.
  std::vector<Json> received() const {
    std::vector<Json> entries;
    const std::string text = directory_.read("log");
    for (const std::string_view line : split(text, '\n'))
      if (auto json = parse_json(line)) entries.push_back(*std::move(json));
    return entries;
  }
  std::size_t received_count(std::string_view key, std::string_view value) const {
    const auto entries = received();
    return static_cast<std::size_t>(
        std::ranges::count_if(entries, [&](const Json& each) { return text_in(each, key) == value; }));
  }
  // "a.fake:2:5", counting from 1, one per line.
  static std::string shown(const FoundPlaces& found) {
    std::string text;
    for (const Spot& spot : found.spots)
      text += concat(spot.path, ":", spot.range.start.line + 1, ":", spot.column, "\n");
    return text;
  }

  TestDirectory directory_;
  LspSettings settings_;
  Servers::Options options_;
  search::EngineChoice engine_{.engine = search::Engine::kBuiltin};
  Logger logger_{LogLevel::kError, Logger::Format::kPlain};
  std::optional<workspace::Root> root_;
  std::unique_ptr<Servers> servers_;
};

}  // namespace helve::lsp
