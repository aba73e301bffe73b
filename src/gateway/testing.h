// Shared by the gateway's tests: the fake server, and scripted users and models.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "core/testing.h"
#include "gateway/connection.h"
#include "gateway/server_config.h"
#include "gateway/stdio_channel.h"
#include "unit/places.h"

namespace helve::gateway {

inline ServerConfig fake_server(std::vector<std::string> arguments = {}, std::string name = "fake") {
  ServerConfig config{.name = std::move(name), .origin = "test"};
  config.settings.command = places::kFakeServer;
  config.settings.args = std::move(arguments);
  return config;
}

class ScriptedAsker final : public Asker {
 public:
  explicit ScriptedAsker(Reply reply) : reply_(std::move(reply)) {}
  [[nodiscard]] Expected<Reply> ask(const Question& question, const std::stop_token&) override {
    const std::lock_guard lock(mutex_);
    questions.push_back(question);
    return reply_;
  }
  std::vector<Question> questions;

 private:
  std::mutex mutex_;
  Reply reply_;
};

class ScriptedSampler final : public Sampler {
 public:
  [[nodiscard]] Expected<Json> sample(const std::string&, const Json& parameters,
                                      const std::stop_token&) override {
    return JsonObject{{"role", "assistant"}, {"echo", parameters}};
  }
};

inline Terms within(std::chrono::milliseconds time) { return {.deadline = Clock::now() + time}; }
inline Terms soon() { return within(std::chrono::seconds(20)); }

// The text of a tool's result.
inline std::string text_of(const Expected<Json>& result) {
  if (!result) return concat("error: ", result.error().message);
  return result->find("content")->as_array().at(0).find("text")->as_string();
}

inline bool is_alive(pid_t pid) { return ::kill(pid, 0) == 0; }

// Waits until the condition holds; false after ten seconds.
template <class Condition>
bool eventually(const Condition& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

class ConnectionTest : public ::testing::Test {
 protected:
  // Opens a connection to the fake server; options_ may be changed before.
  Expected<std::unique_ptr<Connection>> open(std::vector<std::string> arguments = {},
                                             std::chrono::milliseconds time = std::chrono::seconds(20)) {
    const ServerConfig config = fake_server(std::move(arguments));
    options_.server = config.name;
    options_.workspace = directory_.path();
    options_.open_channel = [this, config](Listener& listener) -> Expected<std::unique_ptr<Channel>> {
      auto start = process_start(config, directory_.path(), "/proc/self/exe");
      if (!start) return fail(start.error());
      start->longest_line = longest_line_;
      start->grace = std::chrono::milliseconds(300);
      return StdioChannel::open(*std::move(start), config.name, listener, logger_);
    };
    return Connection::open(options_, logger_, within(time));
  }

  static RemoteTool tool(std::string name) { return {.name = std::move(name)}; }

  TestDirectory directory_;
  Logger logger_{LogLevel::kError};
  ConnectionOptions options_{.probe_time = std::chrono::milliseconds(1'000)};
  std::size_t longest_line_ = std::size_t{32} << 20;
};

}  // namespace helve::gateway
