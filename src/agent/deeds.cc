#include "agent/deeds.h"

#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/redact.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::agent {
namespace {

constexpr std::size_t kLongestText = 1000;

// An index is looked through and printed; secrets have no place there.
std::string told(std::string_view text) { return on_one_line(redact_text(text), kLongestText); }

const CallState* find_call(const Transcript& transcript, std::string_view id) {
  const Round* round = transcript.open_round();
  if (round == nullptr) return nullptr;
  for (const CallState& call : round->calls)
    if (call.planned.id == id) return &call;
  return nullptr;
}

store::Deed deed_of_call(const model::ToolCall& call, const ResultEntry& result) {
  const Json arguments = parse_json(call.arguments).value_or(Json());
  const std::string outcome =
      result.failed() ? concat(result.summary, " (", result.code, ")") : result.summary;
  if (call.name == "exec")
    return {.kind = "command",
            .subject = call.name,
            .text = told(concat(text_in(arguments, "command"), " (", outcome, ")"))};
  std::vector<std::string> paths;
  for (const std::string& path : result.paths)
    if (!outcome.contains(path)) paths.push_back(path);
  std::string subject = !result.paths.empty() ? result.paths.front() : text_in(arguments, "path");
  return {.kind = "call",
          .subject = on_one_line(subject.empty() ? call.name : subject, kLongestText),
          .text = told(concat(call.name, ": ", outcome, paths.empty() ? "" : "; ", join(paths, ", ")))};
}

}  // namespace

std::optional<store::Deed> deed_of(const Transcript& transcript, const Entry& entry) {
  if (const auto* user = std::get_if<UserEntry>(&entry)) {
    if (user->from_helve) return {};
    return store::Deed{.kind = "prompt", .text = told(user->text)};
  }
  const auto* result = std::get_if<ResultEntry>(&entry);
  if (result == nullptr) return {};
  const CallState* call = find_call(transcript, result->call);
  if (call == nullptr || !call->changes) return {};
  return deed_of_call(call->planned.said, *result);
}

}  // namespace helve::agent
