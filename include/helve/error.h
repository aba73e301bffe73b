// Errors as values: a code for programs, a message and a hint for the model or the user.
//
// Functions that can fail return Expected<T>. Helve's public functions do not throw for expected failures; an
// exception from a tool is caught by the dispatcher and becomes EXECUTION_FAILED.
//
//   #include <helve/error.h>
//   helve::Expected<int> port_of(int number) {
//     if (number < 1 || number > 65535)
//       return helve::fail(helve::ErrorCode::kInvalidArgument, "port must be from 1 to 65535.",
//                          "Use 0 < port < 65536, for example 8080.");
//     return number;
//   }
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "helve/api.h"
#include "helve/json.h"

namespace HELVE_API helve {

enum class ErrorCode {
  kUnknownTool,       // no enabled tool has this name
  kInvalidArgument,   // the arguments are wrong; the call did nothing
  kNotFound,          // a file, symbol, session or other thing does not exist
  kConflict,          // the state is not the expected one: a changed file, an ambiguous match
  kSecurity,          // a path leads out of the workspace or cannot be used safely
  kPermissionDenied,  // a mode, a rule, a hook or the user refused the call
  kTimeout,           // the time limit passed
  kCancelled,         // the caller cancelled the call
  kExecutionFailed,   // the work failed; also every exception that a tool throws
  kUnavailable,       // something needed is missing: a program, a server, disk space
  kOutcomeUnknown,    // it is not known whether the call had its effect; check before repeating it
};

// The code's name in JSON: UNKNOWN_TOOL, INVALID_ARGUMENT, … The text is static.
[[nodiscard]] std::string_view to_string(ErrorCode code);

// Which failure of its code it is, for programs that handle it. In JSON it is details.kind.
enum class ErrorKind {
  kNone,

  // Paths
  kPathTraversal,  // `..` leads out of the workspace
  kOutsideBaseDir,
  kSymlinkNotAllowed,  // a symlink that leads out, loops or is not allowed
  kInvalidPath,
  kProtectedPath,

  // Changes of files
  kFileChanged,   // another program changed the file at the same time
  kFileConflict,  // another program created, removed, locked or opened it at the same time
  kOtherChange,   // another change of Helve's must be undone or redone first
  kHardLinked,    // needs approval, because the file has several names
  kLineNumbers,   // the text to replace has line numbers that are not in the file
  kHistoryDamaged,

  // Permissions
  kDeniedByUser,
  kDeniedByMode,
  kDeniedByRule,  // a rule, a setting or a hook

  // Definitions of tools
  kEmptyName,
  kInvalidName,
  kEmptyDescription,
  kRequiredPropertyNotDefined,
  kInvalidParameters,
  kDuplicateName,

  // Names of tools in calls
  kToolNotEnabled,
  kSimilarToolExists,  // the hint names it

  // Checkers and language servers
  kDidNotRun,  // a formatter or linter could not check the file
  kServerCrashed,

  // Other MCP servers
  kMcpError,   // the server returned an error
  kMcpServer,  // the server did not start, or exited
  kHttpStatus,
  kSessionEnded,

  // Model servers
  kModelKey,
  kModelUnknown,
  kModelContextFull,
  kModelRateLimit,
  kModelQuota,
  kModelOverloaded,
  kModelServer,
  kModelRequest,
  kModelReplyCut,
  kModelReplyMalformed,

  // The store
  kDatabaseError,
  kDatabaseBusy,  // another process has locked it
  kDatabaseDamaged,
  kDatabaseForeign,
  kDatabaseNewer,  // written by a newer Helve
  kDatabaseInterrupted,
  kIndexDamaged,  // the search index, which can be rebuilt
  kDiskFull,
  kNotWritable,
};

// The kind's name in JSON: PATH_TRAVERSAL, … The text is static, and empty for kNone.
[[nodiscard]] std::string_view to_string(ErrorKind kind);

// One failure. A plain value: copy and move it freely.
struct Error {
  ErrorCode code = ErrorCode::kExecutionFailed;
  std::string message = {};  // what failed, and with which value
  std::string hint = {};     // what to do next, in the imperative; may be empty
  Json details = {};         // an object for programs; null when there is nothing to add
  bool transient = false;    // the same call may succeed in a moment; Helve then retries read-only calls
  ErrorKind kind = ErrorKind::kNone;

  // {"code", "message", "hint", "details"}; empty members are left out. The kind is details.kind.
  [[nodiscard]] Json to_json() const;
  bool operator==(const Error&) const = default;
};

// A value, or the error that prevented it. Test it like a pointer: if (!value) return fail(value.error());
template <class T>
using Expected = std::expected<T, Error>;

// Creates the error to return from a function with an Expected result:
//   return fail(ErrorCode::kNotFound, "No file notes.txt", "Use find to look for it.");
[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {},
                                                 Json details = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(hint), std::move(details)});
}

// The same with a kind, for failures that callers handle:
//   return fail(ErrorKind::kInvalidPath, ErrorCode::kSecurity, "The path is empty.");
[[nodiscard]] inline std::unexpected<Error> fail(ErrorKind kind, ErrorCode code, std::string message,
                                                 std::string hint = {}, Json details = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(hint), std::move(details), false, kind});
}

// Passes an error on: if (!text) return fail(text.error());
[[nodiscard]] inline std::unexpected<Error> fail(Error error) { return std::unexpected(std::move(error)); }

}  // namespace helve
