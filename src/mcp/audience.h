// Who wants to hear of changes: clients of the old era, and streams that the modern era's clients opened.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "helve/json.h"
#include "mcp/client.h"
#include "mcp/offer.h"

namespace helve::mcp {

// Owned by the server. May be used from all threads.
class Audience {
 public:
  enum class News { kTools, kPrompts };

  struct Listener {
    bool tools = false;
    bool prompts = false;
    std::function<bool(LogSeverity)> wants_log = {};  // null: it hears of no log
    // Given the method and the parameters of a notification.
    std::function<void(const std::string& method, Json params)> hear;
  };

  // Hears until the handle is destroyed.
  [[nodiscard]] Subscription add(Listener listener);
  void tell(News news) const;
  // What happened, as data of a log entry.
  void log(LogSeverity severity, const Json& data) const;

 private:
  [[nodiscard]] std::vector<std::shared_ptr<Listener>> present() const;

  mutable std::mutex mutex_;
  mutable std::vector<std::weak_ptr<Listener>> listeners_;
};

}  // namespace helve::mcp
