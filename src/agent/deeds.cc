#include "agent/deeds.h"

#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::agent {
namespace {

constexpr std::size_t kLongestText = 1000;

std::string on_one_line(std::string_view text) {
  return shortened(replace_all(trim(text), "\n", " "), kLongestText);
}

const CallState* find_call(const Transcript& transcript, std::string_view id) {
  const Round* round = transcript.open_round();
  if (round == nullptr) return nullptr;
  for (const CallState& call : round->calls)
    if (call.planned.id == id) return &call;
  return nullptr;
}

store::Deed deed_of_call(const model::ToolCall& call, const ResultEntry& result) {
  const Json arguments = parse_json(call.arguments).value_or(Json());
  if (call.name == "exec")
    return {.kind = "command",
            .subject = call.name,
            .text = on_one_line(concat(text_in(arguments, "command"), " (", result.summary, ")"))};
  std::string path = text_in(arguments, "path");
  return {.kind = "call",
          .subject = path.empty() ? call.name : std::move(path),
          .text = on_one_line(concat(call.name, ": ", result.summary))};
}

}  // namespace

std::optional<store::Deed> deed_of(const Transcript& transcript, const Entry& entry) {
  if (const auto* user = std::get_if<UserEntry>(&entry)) {
    if (user->from_helve) return {};
    return store::Deed{.kind = "prompt", .text = on_one_line(user->text)};
  }
  const auto* result = std::get_if<ResultEntry>(&entry);
  if (result == nullptr || result->failed()) return {};
  const CallState* call = find_call(transcript, result->call);
  if (call == nullptr || !call->changes) return {};
  return deed_of_call(call->planned.said, *result);
}

}  // namespace helve::agent
