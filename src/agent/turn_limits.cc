#include "agent/turn_limits.h"

#include <algorithm>
#include <cstdio>

#include "agent/volatile_parts.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "model/make_model.h"

namespace helve::agent {
namespace {

Ending stopped(std::string reason, std::string message, std::string hint) {
  return {std::move(reason), Error{ErrorCode::kUnavailable, std::move(message), std::move(hint)}};
}

// A call and its result as text, without ids, times and durations. Whitespace in the arguments is ignored.
std::string signature_of(const CallState& call) {
  const auto parsed = parse_json(call.planned.requested.arguments);
  std::string text = concat(call.planned.requested.name, "\n",
                            parsed ? to_text(*parsed) : call.planned.requested.arguments, "\n");
  if (call.result)
    text += concat(call.result->code, "\n", without_volatile_parts(call.result->content), "\n");
  return text;
}

bool have_same_outcome(const Round& one, const Round& other) {
  return std::ranges::equal(one.calls, other.calls, [](const CallState& left, const CallState& right) {
    return signature_of(left) == signature_of(right);
  });
}

std::string money_text(double amount) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f", amount);
  return text;
}

constexpr std::int64_t kBytesPerToken = 4;
constexpr std::int64_t kTokensPerTurn = 8;       // framing that servers add to each message
constexpr std::int64_t kTokensPerImage = 1'500;  // typical server count for a normal image

std::int64_t tokens_of(std::string_view text) {
  return static_cast<std::int64_t>(text.size()) / kBytesPerToken + 1;
}

struct TurnTokens {
  std::int64_t operator()(const model::UserTurn& turn) const { return tokens_of(turn.text); }
  std::int64_t operator()(const model::ModelTurn& turn) const { return tokens_of(to_text(turn.raw)); }
  std::int64_t operator()(const model::ResultsTurn& turn) const {
    std::int64_t tokens = 0;
    for (const model::ToolResult& result : turn.results)
      tokens += tokens_of(result.content) + kTokensPerTurn +
                kTokensPerImage * static_cast<std::int64_t>(result.images.size());
    return tokens;
  }
};

std::size_t shortenable_rounds(const Transcript& transcript) {
  const std::size_t rounds = transcript.round_count();
  return rounds > 0 ? rounds - 1 : 0;
}

}  // namespace

TurnLimits::TurnLimits(const AgentSettings& settings, const ModelPrices& prices, Clock::time_point begun)
    : settings_(settings),
      prices_(prices),
      deadline_(settings.minutes == 0 ? Clock::time_point::max()
                                      : begun + std::chrono::minutes(settings.minutes)) {}

std::optional<Ending> TurnLimits::before_reply(const Transcript& transcript) const {
  const std::size_t rounds = transcript.rounds_of_turn().size();
  if (settings_.rounds > 0 && rounds >= static_cast<std::size_t>(settings_.rounds))
    return stopped("round-limit", concat("The turn reached its limit of ", count_of(rounds, "round"), "."),
                   "Send a message such as \"Continue\", or raise agent.rounds (--max-turns).");
  if (Clock::now() >= deadline_)
    return stopped("deadline",
                   concat("The turn reached its limit of ",
                          count_of(static_cast<std::size_t>(settings_.minutes), "minute"), "."),
                   "Continue the session, or raise agent.minutes.");
  const model::Usage& usage = transcript.usage();
  const std::int64_t tokens = usage.input_tokens + usage.output_tokens;
  if (settings_.tokens > 0 && tokens >= settings_.tokens)
    return stopped(
        "budget",
        concat("The session used ", with_thousands(static_cast<std::size_t>(tokens)),
               " tokens; its budget is ", with_thousands(static_cast<std::size_t>(settings_.tokens)), "."),
        "Raise agent.tokens and continue the session.");
  if (const double cost = model::cost_of(usage, prices_); settings_.money > 0 && cost >= settings_.money)
    return stopped(
        "budget",
        concat("The session cost ", money_text(cost), "; its budget is ", money_text(settings_.money), "."),
        "Raise agent.money and continue the session.");
  return {};
}

std::optional<Ending> TurnLimits::before_calls(const Transcript& transcript) const {
  std::size_t calls = 0;
  for (const Round* round : transcript.rounds_of_turn()) calls += round->calls.size();
  if (calls <= static_cast<std::size_t>(settings_.calls)) return {};
  return stopped("call-limit",
                 concat("The model requested ", count_of(calls, "call"), " in one turn; the limit is ",
                        settings_.calls, "."),
                 "Send a message such as \"Continue\", or raise agent.calls.");
}

std::size_t TurnLimits::repeated_rounds(const Transcript& transcript) {
  const std::vector<const Round*> rounds = transcript.rounds_of_turn();
  if (rounds.empty() || rounds.back()->calls.empty()) return 0;
  std::size_t same = 1;
  while (same < rounds.size() && have_same_outcome(*rounds.back(), *rounds[rounds.size() - 1 - same])) ++same;
  return same;
}

std::int64_t rough_tokens(const model::Conversation& conversation) {
  std::int64_t tokens = tokens_of(conversation.system);
  for (const model::OfferedTool& tool : conversation.tools)
    tokens += tokens_of(tool.name) + tokens_of(tool.description) + tokens_of(to_text(tool.input_schema));
  for (const model::Turn& turn : conversation.turns)
    tokens += std::visit(TurnTokens(), turn) + kTokensPerTurn;
  return tokens;
}

ContextWindow::ContextWindow(const AgentSettings& settings, const model::Model& model)
    : trim_percent_(settings.trim_percent), window_(model.context_window()) {}

std::int64_t ContextWindow::estimate(const model::Conversation& conversation, const Transcript& transcript) {
  constexpr double kLeast = 0.5;
  constexpr double kMost = 3;
  const std::int64_t rough = rough_tokens(conversation);
  const Round* last = transcript.last_round();
  if (last == nullptr || last->reply.estimate <= 0 || last->reply.usage.input_tokens <= 0) return rough;
  const double correction =
      static_cast<double>(last->reply.usage.input_tokens) / static_cast<double>(last->reply.estimate);
  return static_cast<std::int64_t>(static_cast<double>(rough) * std::clamp(correction, kLeast, kMost));
}

Expected<void> ContextWindow::trim_to_fit(Journal& journal, model::Conversation& conversation) const {
  if (!window_) return {};
  const Transcript& transcript = journal.transcript();
  std::int64_t tokens = estimate(conversation, transcript);
  if (tokens > *window_ * trim_percent_ / 100) {
    const std::int64_t goal = std::min(*window_ / 2, *window_ * trim_percent_ / 100);
    const std::size_t most = shortenable_rounds(transcript);
    Transcript tried = transcript;
    std::size_t rounds = transcript.trimmed_rounds();
    while (tokens > goal && rounds < most) {
      tried.add(TrimEntry{++rounds});
      conversation.turns = tried.to_turns();
      tokens = estimate(conversation, transcript);
    }
    if (rounds > transcript.trimmed_rounds())
      if (auto added = journal.add(TrimEntry{rounds}); !added) return added;
  }
  // Reserve space for the reply.
  const std::int64_t room = *window_ - std::min<std::int64_t>(*window_ / 8, 4'096);
  if (tokens > room) return fail(too_small(tokens));
  return {};
}

Expected<bool> ContextWindow::trim_all(Journal& journal, model::Conversation& conversation) {
  const std::size_t most = shortenable_rounds(journal.transcript());
  if (journal.transcript().trimmed_rounds() >= most) return false;
  if (auto added = journal.add(TrimEntry{most}); !added) return fail(added.error());
  conversation.turns = journal.transcript().to_turns();
  return true;
}

Error ContextWindow::too_small(std::int64_t needed) const {
  return {ErrorCode::kUnavailable,
          concat("The conversation has about ", with_thousands(static_cast<std::size_t>(needed)),
                 " tokens with old results shortened; the model's context window has ",
                 with_thousands(static_cast<std::size_t>(*window_)), "."),
          "Start a new session, offer fewer tools (tools.enabled), or use a model or server setting with a "
          "larger window."};
}

}  // namespace helve::agent
