// The questions of all Helve processes of the user, seen from another process.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "http/client.h"
#include "inbox/inbox.h"
#include "inbox/request_json.h"

namespace helve::inbox {

// One process that asks, and its questions.
struct AskingProcess {
  std::string socket = {};
  std::int64_t pid = 0;
  Asking asking = {};
  std::uint64_t changes = 0;
  std::vector<WaitingQuestion> questions = {};
};

// May be used from any thread.
class OtherInboxes {
 public:
  explicit OtherInboxes(std::string directory) : directory_(std::move(directory)) {}

  [[nodiscard]] const std::string& directory() const { return directory_; }
  // The sockets of running processes; removes those that a killed process left.
  [[nodiscard]] std::vector<std::string> sockets() const;
  // All of them, without those that end meanwhile. Processes without questions are left out.
  [[nodiscard]] std::vector<AskingProcess> list(const std::stop_token& stop) const;
  // Waits until the questions differ from those seen with the number `changes`, but not for ever.
  [[nodiscard]] Expected<AskingProcess> next(const std::string& socket, std::uint64_t changes,
                                             const std::stop_token& stop) const;
  // NOT_FOUND when the process has no such question, CONFLICT when it was answered before.
  [[nodiscard]] Expected<void> answer(const std::string& socket, const WaitingQuestion& question,
                                      const Approval& approval, const std::stop_token& stop) const;

 private:
  void remove_dead(const std::string& socket) const;

  const std::string directory_;
  mutable http::Client client_;
};

}  // namespace helve::inbox
