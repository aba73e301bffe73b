// What went wrong, in the form in which a model or a person gets to read it.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "helve/json.h"

namespace helve {

enum class ErrorCode {
  kUnknownTool,
  kInvalidArgument,
  kNotFound,
  kConflict,
  kSecurity,
  kPermissionDenied,
  kTimeout,
  kCancelled,
  kExecutionFailed,
  kUnavailable,
  kOutcomeUnknown,
};

// The code's name in the envelope: UNKNOWN_TOOL, INVALID_ARGUMENT, …
[[nodiscard]] std::string_view to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kExecutionFailed;
  std::string message = {};  // what was wrong, and with what
  std::string hint = {};     // what to do next; may be empty
  Json details = {};         // an object for programs; null when there is nothing to add
  bool transient = false;    // the same call may succeed in a moment; read-only tools are then retried

  [[nodiscard]] Json to_json() const;
  bool operator==(const Error&) const = default;
};

// A value, or the reason why there is none.
template <class T>
using Expected = std::expected<T, Error>;

// return fail(ErrorCode::kNotFound, "No file notes.txt", "Use find to look for it.");
[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {},
                                                 Json details = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(hint), std::move(details)});
}
[[nodiscard]] inline std::unexpected<Error> fail(Error error) { return std::unexpected(std::move(error)); }

}  // namespace helve
