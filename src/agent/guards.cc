#include "agent/guards.h"

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

// What one call was and came to, without what differs anyway. White space in the arguments does not matter.
std::string signature_of(const CallState& call) {
  const auto parsed = parse_json(call.planned.said.arguments);
  std::string text =
      concat(call.planned.said.name, "\n", parsed ? to_text(*parsed) : call.planned.said.arguments, "\n");
  if (call.result)
    text += concat(call.result->code, "\n", without_volatile_parts(call.result->content), "\n");
  return text;
}

bool came_to_the_same(const Round& one, const Round& other) {
  return std::ranges::equal(one.calls, other.calls, [](const CallState& left, const CallState& right) {
    return signature_of(left) == signature_of(right);
  });
}

std::string money_text(double amount) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f", amount);
  return text;
}

}  // namespace

Guards::Guards(const Settings::Agent& settings, const Settings::Prices& prices, Clock::time_point begun)
    : settings_(settings),
      prices_(prices),
      deadline_(settings.minutes == 0 ? Clock::time_point::max()
                                      : begun + std::chrono::minutes(settings.minutes)) {}

std::optional<Ending> Guards::before_reply(const Transcript& transcript) const {
  const std::size_t rounds = transcript.rounds_of_turn().size();
  if (settings_.rounds > 0 && rounds >= static_cast<std::size_t>(settings_.rounds))
    return stopped("round-limit", concat("The turn had ", count_of(rounds, "round"), ", which is the limit."),
                   "Say something, such as \"Go on\", or raise agent.rounds (--max-turns).");
  if (Clock::now() >= deadline_)
    return stopped("deadline",
                   concat("The turn took ", count_of(static_cast<std::size_t>(settings_.minutes), "minute"),
                          ", which is the limit."),
                   "Raise agent.minutes, or let the session go on.");
  const model::Usage& usage = transcript.usage();
  const std::int64_t tokens = usage.input_tokens + usage.output_tokens;
  if (settings_.tokens > 0 && tokens >= settings_.tokens)
    return stopped("budget",
                   concat("The session used ", with_thousands(static_cast<std::size_t>(tokens)),
                          " tokens, and its budget is ",
                          with_thousands(static_cast<std::size_t>(settings_.tokens)), "."),
                   "Raise agent.tokens and let the session go on.");
  if (const double cost = model::cost_of(usage, prices_); settings_.money > 0 && cost >= settings_.money)
    return stopped("budget",
                   concat("The session cost ", money_text(cost), ", and its budget is ",
                          money_text(settings_.money), "."),
                   "Raise agent.money and let the session go on.");
  return {};
}

std::optional<Ending> Guards::before_calls(const Transcript& transcript) const {
  std::size_t calls = 0;
  for (const Round* round : transcript.rounds_of_turn()) calls += round->calls.size();
  if (calls <= static_cast<std::size_t>(settings_.calls)) return {};
  return stopped("call-limit",
                 concat("The model wants ", count_of(calls, "call"), " in one turn, and the limit is ",
                        settings_.calls, "."),
                 "Say something, such as \"Go on\", or raise agent.calls.");
}

std::size_t Guards::same_rounds(const Transcript& transcript) {
  const std::vector<const Round*> rounds = transcript.rounds_of_turn();
  if (rounds.empty() || rounds.back()->calls.empty()) return 0;
  std::size_t same = 1;
  while (same < rounds.size() && came_to_the_same(*rounds.back(), *rounds[rounds.size() - 1 - same])) ++same;
  return same;
}

}  // namespace helve::agent
