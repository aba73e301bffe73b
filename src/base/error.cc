#include "helve/error.h"

namespace helve {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnknownTool: return "UNKNOWN_TOOL";
    case ErrorCode::kInvalidArgument: return "INVALID_ARGUMENT";
    case ErrorCode::kNotFound: return "NOT_FOUND";
    case ErrorCode::kConflict: return "CONFLICT";
    case ErrorCode::kSecurity: return "SECURITY";
    case ErrorCode::kPermissionDenied: return "PERMISSION_DENIED";
    case ErrorCode::kTimeout: return "TIMEOUT";
    case ErrorCode::kCancelled: return "CANCELLED";
    case ErrorCode::kExecutionFailed: return "EXECUTION_FAILED";
    case ErrorCode::kUnavailable: return "UNAVAILABLE";
    case ErrorCode::kOutcomeUnknown: return "OUTCOME_UNKNOWN";
  }
  return "EXECUTION_FAILED";
}

Json Error::to_json() const {
  JsonObject json{{"code", to_string(code)}, {"message", message}};
  if (!hint.empty()) json.append("hint", hint);
  if (!details.is_null()) json.append("details", details);
  return json;
}

}  // namespace helve
