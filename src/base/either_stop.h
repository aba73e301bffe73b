// A stop token that is triggered by either of two others.
#pragma once

#include <functional>
#include <stop_token>

namespace helve {

// Must outlive every use of its token. Neither copyable nor movable.
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
