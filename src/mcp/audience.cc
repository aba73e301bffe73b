#include "mcp/audience.h"

namespace helve::mcp {

Subscription Audience::add(Listener listener) {
  auto shared = std::make_shared<Listener>(std::move(listener));
  const std::lock_guard lock(mutex_);
  listeners_.push_back(shared);
  return shared;
}

std::vector<std::shared_ptr<Audience::Listener>> Audience::present() const {
  std::vector<std::shared_ptr<Listener>> present;
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [](const auto& listener) { return listener.expired(); });
  for (const auto& listener : listeners_)
    if (auto shared = listener.lock()) present.push_back(std::move(shared));
  return present;
}

void Audience::tell(News news) const {
  for (const auto& listener : present()) {
    if (news == News::kTools && listener->tools) listener->hear("notifications/tools/list_changed", {});
    if (news == News::kPrompts && listener->prompts) listener->hear("notifications/prompts/list_changed", {});
  }
}

void Audience::log(LogSeverity severity, const Json& data) const {
  for (const auto& listener : present())
    if (listener->wants_log && listener->wants_log(severity))
      listener->hear("notifications/message",
                     JsonObject{{"level", to_string(severity)}, {"logger", "helve"}, {"data", data}});
}

}  // namespace helve::mcp
