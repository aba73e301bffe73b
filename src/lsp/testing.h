// Helpers for the tests of language servers: a workspace, a fake server with faults, questions to it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json_parse.h"
#include "base/strings.h"
#include "lsp/questions.h"
#include "lsp/servers.h"
#include "process/testing.h"
#include "workspace/test_directory.h"

namespace helve::lsp {

// Long enough for a slow machine.
inline Patience in_time(std::chrono::milliseconds time = std::chrono::milliseconds(60'000)) {
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

  // The source directory is known to those tests only that use it.
  void use_fake(const std::string& source, const std::string& faults) {
    settings_.servers["fake"] = {
        .command = "/usr/bin/python3",
        .args = std::vector<std::string>{source + "/tests/lsp/fake_server.py", faults, directory_.at("log")},
        .files = std::vector<std::string>{"*.fake"}};
  }
  Servers& servers() {
    if (!root_) root_.emplace(Root::open(directory_.at("workspace")).value());
    if (!servers_) {
      options_.workspace = &*root_;
      options_.settings = settings_;
      options_.launcher = "/proc/self/exe";
      servers_ = std::make_unique<Servers>(options_);
    }
    return *servers_;
  }
  Questions questions() { return Questions({.servers = servers(), .logger = logger_, .engine = engine_}); }

  void write(const std::string& name, std::string_view text) { directory_.write("workspace/" + name, text); }
  std::string path(const std::string& name) const { return directory_.at("workspace/" + name); }

  // What the fake server heard.
  std::vector<Json> heard() const {
    std::vector<Json> entries;
    const std::string text = directory_.read("log");
    for (const std::string_view line : split(text, '\n'))
      if (auto json = parse_json(line)) entries.push_back(*std::move(json));
    return entries;
  }
  std::size_t heard_count(std::string_view key, std::string_view value) const {
    const auto entries = heard();
    return static_cast<std::size_t>(
        std::ranges::count_if(entries, [&](const Json& each) { return text_member(each, key) == value; }));
  }
  // "a.fake:2:5", counting from 1, one per line.
  static std::string shown(const FoundPlaces& found) {
    std::string text;
    for (const Spot& spot : found.spots)
      text += concat(spot.path, ":", spot.range.start.line + 1, ":", spot.column, "\n");
    return text;
  }

  TestDirectory directory_;
  Settings::Lsp settings_;
  Servers::Options options_;
  search::EngineChoice engine_{.engine = search::Engine::kBuiltin};
  Logger logger_{LogLevel::kError, Logger::Format::kPlain};
  std::optional<Root> root_;
  std::unique_ptr<Servers> servers_;
};

}  // namespace helve::lsp
