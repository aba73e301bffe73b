#include "http/refusals.h"

#include <utility>

#include "base/json_parse.h"
#include "base/utf8.h"

namespace helve::http {
namespace {

constexpr std::size_t kLongestTold = 200;  // strangers choose the path

}  // namespace

void Refusals::add(const Response& answer, const Refused& refused) {
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
  const auto tell = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) fields.append(std::string(name), std::string(utf8_prefix(value, kLongestTold)));
  };
  tell("peer", refused.peer);
  tell("method", refused.method);
  tell("path", refused.path);
  if (unsaid > 0) fields.append("notLogged", unsaid);
  logger_.warning("A request was refused", fields);
}

std::map<int, std::uint64_t> Refusals::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace helve::http
