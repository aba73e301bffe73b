#include "agent/export.h"

#include <algorithm>

#include "agent/transcript.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::agent {
namespace {

// Uses a fence longer than any run of backticks in the text.
std::string fenced(std::string_view text, std::string_view language = {}) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return concat(fence, language, "\n", text, text.ends_with('\n') ? "" : "\n", fence, "\n");
}

std::string quoted(std::string_view text) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) out += concat("> ", line, "\n");
  return out;
}

void append_call(std::string& out, const CallState& call) {
  constexpr std::size_t kMost = 4'000;
  out +=
      concat("\n### ", call.planned.requested.name, "\n\n", fenced(call.planned.requested.arguments, "json"));
  if (call.approval)
    out += concat("\n", call.approval->granted ? "The user approved the call." : "The user denied the call.",
                  call.approval->reason.empty() ? "" : concat(" Reason: ", call.approval->reason), "\n");
  if (!call.result) {
    out += call.started ? "\nOutcome unknown.\n" : "\nNot run yet.\n";
    return;
  }
  out += concat("\n", call.result->failed() ? "Failed" : "Result", " (", call.result->milliseconds,
                " ms):\n\n", fenced(shortened(call.result->content, kMost)));
}

}  // namespace

std::string to_markdown(const store::SessionRecord& record, std::span<const Entry> entries) {
  Transcript transcript;
  for (const Entry& entry : entries) transcript.add(entry);
  const model::Usage& usage = transcript.usage();
  std::string out = concat("# ", record.title.empty() ? record.id : record.title,
                           "\n\n- session: ", record.id, "\n- workspace: ", record.workspace,
                           "\n- model: ", record.model, "\n- started: ", record.created,
                           "\n- tokens: ", usage.input_tokens, " read, ", usage.output_tokens, " written\n");
  for (const Transcript::Item& item : transcript.items()) {
    if (const auto* user = std::get_if<UserEntry>(&item)) {
      out += user->from_helve ? concat("\n", quoted(user->text)) : concat("\n## User\n\n", user->text, "\n");
      continue;
    }
    const Round& round = std::get<Round>(item);
    out += "\n## Model\n";
    if (!round.reply.text.empty()) out += concat("\n", round.reply.text, "\n");
    for (const CallState& call : round.calls) append_call(out, call);
  }
  return out;
}

Json to_export_json(const store::SessionRecord& record, std::span<const Entry> entries) {
  JsonArray steps;
  Transcript transcript;
  for (const Entry& entry : entries) {
    transcript.add(entry);
    const store::EventDraft draft = to_draft(entry);
    JsonObject step{{"kind", draft.kind}};
    if (const auto body = parse_json(draft.body))
      for (const auto& [key, value] : body->as_object()) step.append(key, value);
    steps.emplace_back(std::move(step));
  }
  const model::Usage& usage = transcript.usage();
  return JsonObject{{"id", record.id},
                    {"title", record.title},
                    {"workspace", record.workspace},
                    {"model", record.model},
                    {"created", record.created},
                    {"updated", record.updated},
                    {"usage", JsonObject{{"inputTokens", usage.input_tokens},
                                         {"cachedTokens", usage.cached_tokens},
                                         {"outputTokens", usage.output_tokens}}},
                    {"steps", std::move(steps)}};
}

}  // namespace helve::agent
