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

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kNone: return "";
    case ErrorKind::kPathTraversal: return "PATH_TRAVERSAL";
    case ErrorKind::kOutsideBaseDir: return "OUTSIDE_BASE_DIR";
    case ErrorKind::kSymlinkNotAllowed: return "SYMLINK_NOT_ALLOWED";
    case ErrorKind::kInvalidPath: return "INVALID_PATH";
    case ErrorKind::kProtectedPath: return "PROTECTED_PATH";
    case ErrorKind::kFileChanged: return "FILE_CHANGED";
    case ErrorKind::kFileConflict: return "FILE_CONFLICT";
    case ErrorKind::kOtherChange: return "OTHER_CHANGE";
    case ErrorKind::kHardLinked: return "HARD_LINKED";
    case ErrorKind::kLineNumbers: return "LINE_NUMBERS";
    case ErrorKind::kHistoryDamaged: return "HISTORY_DAMAGED";
    case ErrorKind::kDeniedByUser: return "DENIED_BY_USER";
    case ErrorKind::kDeniedByMode: return "DENIED_BY_MODE";
    case ErrorKind::kDeniedByRule: return "DENIED_BY_RULE";
    case ErrorKind::kEmptyName: return "EMPTY_NAME";
    case ErrorKind::kInvalidName: return "INVALID_NAME";
    case ErrorKind::kEmptyDescription: return "EMPTY_DESCRIPTION";
    case ErrorKind::kRequiredPropertyNotDefined: return "REQUIRED_PROPERTY_NOT_DEFINED";
    case ErrorKind::kInvalidParameters: return "INVALID_PARAMETERS";
    case ErrorKind::kDuplicateName: return "DUPLICATE_NAME";
    case ErrorKind::kToolNotEnabled: return "TOOL_NOT_ENABLED";
    case ErrorKind::kSimilarToolExists: return "SIMILAR_TOOL_EXISTS";
    case ErrorKind::kDidNotRun: return "DID_NOT_RUN";
    case ErrorKind::kServerCrashed: return "SERVER_CRASHED";
    case ErrorKind::kMcpError: return "MCP_ERROR";
    case ErrorKind::kMcpServer: return "MCP_SERVER";
    case ErrorKind::kHttpStatus: return "HTTP_STATUS";
    case ErrorKind::kSessionEnded: return "SESSION_ENDED";
    case ErrorKind::kModelKey: return "MODEL_KEY";
    case ErrorKind::kModelUnknown: return "MODEL_UNKNOWN";
    case ErrorKind::kModelContextFull: return "MODEL_CONTEXT_FULL";
    case ErrorKind::kModelRateLimit: return "MODEL_RATE_LIMIT";
    case ErrorKind::kModelQuota: return "MODEL_QUOTA";
    case ErrorKind::kModelOverloaded: return "MODEL_OVERLOADED";
    case ErrorKind::kModelServer: return "MODEL_SERVER";
    case ErrorKind::kModelRequest: return "MODEL_REQUEST";
    case ErrorKind::kModelReplyCut: return "MODEL_REPLY_CUT";
    case ErrorKind::kModelReplyMalformed: return "MODEL_REPLY_MALFORMED";
    case ErrorKind::kDatabaseError: return "DATABASE_ERROR";
    case ErrorKind::kDatabaseBusy: return "DATABASE_BUSY";
    case ErrorKind::kDatabaseDamaged: return "DATABASE_DAMAGED";
    case ErrorKind::kDatabaseForeign: return "DATABASE_FOREIGN";
    case ErrorKind::kDatabaseNewer: return "DATABASE_NEWER";
    case ErrorKind::kDatabaseInterrupted: return "DATABASE_INTERRUPTED";
    case ErrorKind::kIndexDamaged: return "INDEX_DAMAGED";
    case ErrorKind::kDiskFull: return "DISK_FULL";
    case ErrorKind::kNotWritable: return "NOT_WRITABLE";
  }
  return {};
}

Json Error::to_json() const {
  JsonObject json{{"code", to_string(code)}, {"message", message}};
  if (!hint.empty()) json.append("hint", hint);
  if (kind == ErrorKind::kNone) {
    if (!details.is_null()) json.append("details", details);
    return json;
  }
  JsonObject with_kind{{"kind", to_string(kind)}};
  if (details.is_object())
    for (const auto& [name, value] : details.as_object()) with_kind.append(name, value);
  json.append("details", std::move(with_kind));
  return json;
}

}  // namespace helve
