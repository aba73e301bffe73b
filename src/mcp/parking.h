// Calls that wait for the client to come back with an answer, in the era without requests from server to
// client.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/message_key.h"
#include "helve/error.h"
#include "mcp/offer.h"

namespace helve::mcp {

// Owned by the server. May be used from all threads.
class Parking {
 public:
  explicit Parking(std::chrono::milliseconds patience, std::size_t most = 128)
      : patience_(patience), most_(most) {}

  [[nodiscard]] std::chrono::milliseconds patience() const { return patience_; }
  // The state to give to the client, bound to the request and good for one return.
  [[nodiscard]] Expected<std::string> park(const std::shared_ptr<Call>& call);
  // The call that a returning request belongs to.
  [[nodiscard]] std::expected<std::shared_ptr<Call>, rpc::Failure> claim(const std::string& state,
                                                                         const rpc::Request& request);
  // Cancels all that wait; from now on nothing can wait here.
  void close();

 private:
  const std::chrono::milliseconds patience_;
  const std::size_t most_;
  const MessageKey key_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Call>, std::less<>> parked_;
  bool closed_ = false;
};

}  // namespace helve::mcp
