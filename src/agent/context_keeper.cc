#include "agent/context_keeper.h"

#include <algorithm>

#include "base/strings.h"

namespace helve::agent {
namespace {

constexpr std::int64_t kBytesPerToken = 4;
constexpr std::int64_t kTokensPerTurn = 8;       // what dialects put around a message
constexpr std::int64_t kTokensPerImage = 1'500;  // what servers count for one of usual size

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

std::int64_t rough_tokens(const model::Conversation& conversation) {
  std::int64_t tokens = tokens_of(conversation.system);
  for (const model::OfferedTool& tool : conversation.tools)
    tokens += tokens_of(tool.name) + tokens_of(tool.description) + tokens_of(to_text(tool.input_schema));
  for (const model::Turn& turn : conversation.turns)
    tokens += std::visit(TurnTokens(), turn) + kTokensPerTurn;
  return tokens;
}

ContextKeeper::ContextKeeper(const Settings::Agent& settings, const model::Model& model)
    : trim_percent_(settings.trim_percent), window_(model.context_window()) {}

std::int64_t ContextKeeper::estimate(const model::Conversation& conversation, const Transcript& transcript) {
  constexpr double kLeast = 0.5;
  constexpr double kMost = 3;
  const std::int64_t rough = rough_tokens(conversation);
  const Round* last = transcript.last_round();
  if (last == nullptr || last->reply.estimate <= 0 || last->reply.usage.input_tokens <= 0) return rough;
  const double correction =
      static_cast<double>(last->reply.usage.input_tokens) / static_cast<double>(last->reply.estimate);
  return static_cast<std::int64_t>(static_cast<double>(rough) * std::clamp(correction, kLeast, kMost));
}

Expected<void> ContextKeeper::make_room(Journal& journal, model::Conversation& conversation) const {
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
  // Something must be left for the reply.
  const std::int64_t room = *window_ - std::min<std::int64_t>(*window_ / 8, 4'096);
  if (tokens > room) return fail(too_small(tokens));
  return {};
}

Expected<bool> ContextKeeper::make_all_room(Journal& journal, model::Conversation& conversation) {
  const std::size_t most = shortenable_rounds(journal.transcript());
  if (journal.transcript().trimmed_rounds() >= most) return false;
  if (auto added = journal.add(TrimEntry{most}); !added) return fail(added.error());
  conversation.turns = journal.transcript().to_turns();
  return true;
}

Error ContextKeeper::too_small(std::int64_t needed) const {
  return {ErrorCode::kUnavailable,
          concat("The conversation has about ", with_thousands(static_cast<std::size_t>(needed)),
                 " tokens, and the model's window has ", with_thousands(static_cast<std::size_t>(*window_)),
                 ", with old results shortened already."),
          "Begin a new session, offer fewer tools (tools.enabled), or use a model or server setting with a "
          "larger window."};
}

}  // namespace helve::agent
