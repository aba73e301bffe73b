// Prints what an agent does, from its events alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "cli/terminal.h"
#include "helve/events.h"

namespace helve::cli {

enum class AgentOutput {
  kLog,     // what the model says, and one line per call
  kEvents,  // one event as JSON per line
  kFinal,   // only the last thing the model said
};

// Follows a session on a thread of its own from its beginning to finish(). Both must outlive it.
class AgentPrinter {
 public:
  AgentPrinter(const Terminal& terminal, const EventStream& events, AgentOutput output);
  AgentPrinter(const AgentPrinter&) = delete;
  AgentPrinter& operator=(const AgentPrinter&) = delete;
  ~AgentPrinter();

  // Prints what is left, and returns.
  void finish();

 private:
  void follow(const std::stop_token& done);
  void print(const EventStream::Batch& batch);
  void print(const Event& event);
  void print_call(const ToolEvent& event);
  void note_trouble(const ToolEvent& event);
  void print_denied() const;
  void print_unanswered() const;

  const Terminal& terminal_;
  const EventStream& events_;
  const AgentOutput output_;
  std::uint64_t seq_ = 0;
  std::string session_;  // its id
  std::string last_text_;
  std::map<std::string, std::string> params_;  // by call
  std::map<std::string, std::size_t> denied_;  // calls that were not allowed, by tool
  std::vector<std::string> unanswered_;        // questions that nobody could answer
  std::jthread follower_;
};

}  // namespace helve::cli
