// A client's place in the runtime: its session in the workspace that is its own.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "helve/runtime.h"
#include "mcp/people.h"

namespace helve::mcp {

struct Seat final : SeatHolder::Seat {
  [[nodiscard]] bool is_busy() const override;  // a command runs

  std::shared_ptr<Runtime> runtime;
  std::shared_ptr<Session> session;
  std::shared_ptr<People> people;
};

// Where seats are: the runtime of the workspace. With a way to move, that is the first root of the one client
// there is, if it has roots. May be used from all threads.
class House {
 public:
  // The runtime of a directory.
  using Move = std::function<Expected<std::shared_ptr<Runtime>>(const std::string& workspace)>;

  explicit House(std::shared_ptr<Runtime> runtime, Move move = {});

  [[nodiscard]] std::shared_ptr<Runtime> runtime() const;
  // The client's seat; taken when it has none yet.
  [[nodiscard]] Expected<std::shared_ptr<Seat>> seat(Call& call);
  // Calls back when there are other tools than before, also because of a move.
  [[nodiscard]] Subscription on_tools_change(std::function<void()> callback);

 private:
  void follow_roots(Call& call);
  void settle(std::shared_ptr<Runtime> runtime);

  const Move move_;
  std::mutex moving_;  // held while the client is asked, so that no call runs in the wrong place
  mutable std::mutex mutex_;
  std::shared_ptr<Runtime> runtime_;
  struct Callbacks {
    std::mutex mutex = {};
    std::vector<std::weak_ptr<std::function<void()>>> all = {};
    void call();
  };
  const std::shared_ptr<Callbacks> callbacks_ = std::make_shared<Callbacks>();
  Subscription changes_;  // of the runtime's registry
};

}  // namespace helve::mcp
