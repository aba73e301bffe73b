#include "http/refusals.h"

#include <utility>

#include "base/json_parse.h"

namespace helve::http {

void Refusals::add(const Response& answer) {
  std::uint64_t unsaid = 0;
  {
    const std::lock_guard lock(mutex_);
    ++counts_[answer.status];
    const Clock::time_point now = Clock::now();
    if (last_logged_ && now - *last_logged_ < std::chrono::seconds(1)) {
      ++not_logged_;
      return;
    }
    last_logged_ = now;
    unsaid = std::exchange(not_logged_, 0);
  }
  JsonObject fields{{"status", answer.status}};
  const auto body = parse_json(answer.body);
  if (const Json* reason = body ? body->find("error") : nullptr; reason != nullptr)
    fields.append("reason", *reason);
  if (unsaid > 0) fields.append("notLogged", unsaid);
  logger_.warning("A request was refused", fields);
}

std::map<int, std::uint64_t> Refusals::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace helve::http
