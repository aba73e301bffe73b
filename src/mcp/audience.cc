#include "mcp/audience.h"

namespace helve::mcp {

Subscription Audience::add(Listener listener) {
  auto shared = std::make_shared<Listener>(std::move(listener));
  const std::lock_guard lock(mutex_);
  listeners_.push_back(shared);
  return shared;
}

void Audience::tell(News news) const {
  std::vector<std::shared_ptr<Listener>> present;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(listeners_, [](const auto& listener) { return listener.expired(); });
    for (const auto& listener : listeners_)
      if (auto shared = listener.lock()) present.push_back(std::move(shared));
  }
  for (const auto& listener : present) {
    if (news == News::kTools && listener->tools) listener->hear("notifications/tools/list_changed", {});
    if (news == News::kPrompts && listener->prompts) listener->hear("notifications/prompts/list_changed", {});
    if (news == News::kResources && listener->resources)
      listener->hear("notifications/resources/list_changed", {});
  }
}

}  // namespace helve::mcp
