#include "agent/transcript.h"

#include <algorithm>
#include <ranges>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::agent {

bool Round::is_open() const {
  return std::ranges::any_of(calls, [](const CallState& call) { return !call.result.has_value(); });
}

void Transcript::add(const Entry& entry) {
  if (const auto* begin = std::get_if<BeginEntry>(&entry)) system_ = begin->system;
  if (const auto* user = std::get_if<UserEntry>(&entry)) items_.emplace_back(*user);
  if (const auto* reply = std::get_if<ReplyEntry>(&entry)) {
    Round round{.reply = *reply};
    for (const PlannedCall& call : reply->calls) round.calls.push_back({.planned = call});
    items_.emplace_back(std::move(round));
    usage_.input_tokens += reply->usage.input_tokens;
    usage_.cached_tokens += reply->usage.cached_tokens;
    usage_.output_tokens += reply->usage.output_tokens;
  }
  if (const auto* pause = std::get_if<PauseEntry>(&entry))
    if (CallState* call = find_call(pause->call)) call->asked = true;
  if (const auto* approval = std::get_if<ApprovalEntry>(&entry))
    if (CallState* call = find_call(approval->call)) call->approval = approval->approval;
  if (const auto* start = std::get_if<StartEntry>(&entry))
    if (CallState* call = find_call(start->call)) {
      call->started = true;
      call->changes = start->changes;
    }
  if (const auto* result = std::get_if<ResultEntry>(&entry))
    if (CallState* call = find_call(result->call)) call->result = *result;
  if (const auto* trim = std::get_if<TrimEntry>(&entry)) trimmed_rounds_ = trim->rounds;
  const auto* end = std::get_if<EndEntry>(&entry);
  ending_ = end == nullptr ? std::string() : end->reason;
}

CallState* Transcript::find_call(std::string_view id) {
  for (Item& item : items_ | std::views::reverse) {
    auto* round = std::get_if<Round>(&item);
    if (round == nullptr) continue;
    for (CallState& call : round->calls)
      if (call.planned.id == id) return &call;
  }
  return nullptr;
}

bool Transcript::has_call(std::string_view id) const {
  return std::ranges::any_of(items_, [&](const Item& item) {
    const auto* round = std::get_if<Round>(&item);
    return round != nullptr &&
           std::ranges::any_of(round->calls, [&](const CallState& call) { return call.planned.id == id; });
  });
}

const Round* Transcript::last_round() const {
  for (const Item& item : items_ | std::views::reverse)
    if (const auto* round = std::get_if<Round>(&item)) return round;
  return nullptr;
}

const Round* Transcript::open_round() const {
  const auto* round = items_.empty() ? nullptr : std::get_if<Round>(&items_.back());
  return round != nullptr && round->is_open() ? round : nullptr;
}

bool Transcript::is_unfinished() const {
  if (items_.empty()) return false;
  const auto* round = std::get_if<Round>(&items_.back());
  return round == nullptr || !round->calls.empty() || round->reply.stop == model::StopReason::kPaused;
}

std::vector<const Round*> Transcript::rounds_of_turn() const {
  std::vector<const Round*> rounds;
  for (const Item& item : items_ | std::views::reverse) {
    if (const auto* user = std::get_if<UserEntry>(&item); user != nullptr && !user->from_helve) break;
    if (const auto* round = std::get_if<Round>(&item)) rounds.push_back(round);
  }
  std::ranges::reverse(rounds);
  return rounds;
}

std::size_t Transcript::round_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(items_, [](const Item& item) { return std::holds_alternative<Round>(item); }));
}

std::vector<model::Turn> Transcript::to_turns() const {
  std::vector<model::Turn> turns;
  std::size_t rounds = 0;
  for (const Item& item : items_) {
    if (const auto* user = std::get_if<UserEntry>(&item)) {
      turns.emplace_back(model::UserTurn{user->text});
      continue;
    }
    const Round& round = std::get<Round>(item);
    const bool trimmed = rounds++ < trimmed_rounds_;
    // Servers reject empty messages.
    const bool is_empty = round.reply.text.empty() && round.calls.empty();
    if (is_empty && round.reply.stop != model::StopReason::kPaused) continue;
    turns.emplace_back(model::ModelTurn{round.reply.raw});
    if (round.calls.empty()) continue;
    model::ResultsTurn results;
    for (const CallState& call : round.calls) {
      if (!call.result) continue;
      model::ToolResult result{.call_id = call.planned.requested.id,
                               .content = call.result->content,
                               .is_error = call.result->failed(),
                               .images = call.result->images};
      if (trimmed) {
        result.content = trimmed_content(call.planned.requested.name, result.content);
        result.images.clear();
      }
      results.results.push_back(std::move(result));
    }
    turns.emplace_back(std::move(results));
  }
  return turns;
}

std::string trimmed_content(const std::string& tool, const std::string& content) {
  constexpr std::size_t kShort = 400;
  constexpr std::size_t kKept = 200;
  if (content.size() <= kShort) return content;
  return concat("[Shortened to save context: this result of ", tool, " had ", with_thousands(content.size()),
                " bytes. Make the call again if you need it.]\n", utf8_prefix(content, kKept), "…");
}

}  // namespace helve::agent
