// A stop that comes when either of two others does.
#pragma once

#include <functional>
#include <stop_token>

namespace helve {

// Lives as long as somebody may look at its token. Not to be moved.
class EitherStop {
 public:
  EitherStop(const std::stop_token& first, const std::stop_token& second)
      : first_(first, [this] { source_.request_stop(); }),
        second_(second, [this] { source_.request_stop(); }) {}
  EitherStop(const EitherStop&) = delete;
  EitherStop& operator=(const EitherStop&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> first_;
  std::stop_callback<std::function<void()>> second_;
};

}  // namespace helve
