#include "agent/result_text.h"

#include "base/error_text.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::agent {
namespace {

// exec and process tell which command they are about, and how it does.
CommandNews command_in(const Json& data) { return {text_in(data, "sessionId"), flag_in(data, "running")}; }

}  // namespace

Error outcome_unknown(const model::ToolCall& call) {
  constexpr std::size_t kLongest = 100;
  const Json arguments = parse_json(call.arguments).value_or(Json());
  std::string what = text_in(arguments, "command");
  if (what.empty()) what = text_in(arguments, "path");
  if (!what.empty()) what = concat(" (", on_one_line(what, kLongest), ")");
  return {ErrorCode::kOutcomeUnknown,
          concat("Helve was interrupted while ", call.name, what,
                 " ran, so nobody knows whether it had its effect. It was not "
                 "run again."),
          "Look at the state of things before you decide whether to repeat the call."};
}

ResultEntry result_of(const std::string& call, const Error& error) {
  return {.call = call,
          .content = error_text(error),
          .code = std::string(to_string(error.code)),
          .summary = error.message};
}

ResultEntry result_of(const std::string& call, const Answer& answer) {
  if (!answer.ok()) {
    ResultEntry entry = result_of(call, answer.result.error());
    entry.milliseconds = answer.execution_time_ms;
    return entry;
  }
  const Output& output = *answer.result;
  return {.call = call,
          .content = output.content.empty() ? output.summary : output.content,
          .summary = output.summary,
          .milliseconds = answer.execution_time_ms,
          .images = output.images,
          .paths = output.affected_paths,
          .command = command_in(output.data)};
}

}  // namespace helve::agent
