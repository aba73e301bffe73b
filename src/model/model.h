// The interface of a language model: a conversation goes in, a reply with text and tool calls comes out.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"
#include "helve/result.h"

namespace helve::model {

// A call as the model wrote it. The arguments are text, because a model may write invalid JSON.
struct ToolCall {
  std::string id = {};  // generated if the server gave none
  std::string name = {};
  std::string arguments = {};

  bool operator==(const ToolCall&) const = default;
};

struct ToolResult {
  std::string call_id = {};
  std::string content = {};
  bool is_error = false;
  std::vector<Image> images = {};
};

struct Usage {
  std::int64_t input_tokens = 0;  // including cached ones
  std::int64_t cached_tokens = 0;
  std::int64_t output_tokens = 0;

  bool operator==(const Usage&) const = default;
};

enum class StopReason {
  kEnd,          // complete
  kToolCalls,    // waits for results
  kLength,       // cut off at the output limit: its calls may be incomplete and must not run
  kContextFull,  // the conversation no longer fits
  kRefused,
  kPaused,  // expects to be called again with its own reply
};

struct Reply {
  Json raw = {};  // the assistant message in the server's format, to be sent back unchanged
  std::string text = {};
  std::string reasoning = {};
  std::vector<ToolCall> calls = {};
  StopReason stop = StopReason::kEnd;
  Usage usage = {};
};

// The turns of a conversation.
struct UserTurn {
  std::string text = {};
};
struct ModelTurn {
  Json raw = {};
};
struct ResultsTurn {  // all results of one reply's calls
  std::vector<ToolResult> results = {};
};
using Turn = std::variant<UserTurn, ModelTurn, ResultsTurn>;

// A tool as described to the model.
struct OfferedTool {
  std::string name = {};
  std::string description = {};
  Json input_schema = {};
};

struct Conversation {
  std::string system = {};
  std::vector<OfferedTool> tools = {};  // in a stable order, so that prompt caches hit
  std::vector<Turn> turns = {};
};

// Callbacks while the reply arrives, on the caller's thread.
struct Listener {
  std::function<void(std::string_view)> on_text = {};
  std::function<void(std::string_view)> on_reasoning = {};
  std::function<void(const std::string& tool)> on_call = {};  // a call starts
  std::function<void(const Error& problem, std::chrono::milliseconds pause)> on_retry = {};
};

// Used by its owner from one thread at a time.
class Model {
 public:
  virtual ~Model() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  // The limit for a conversation and its reply in tokens, if known.
  [[nodiscard]] virtual std::optional<std::int64_t> context_window() const = 0;
  // Retries transient failures until the first piece of a reply has arrived. Returns CANCELLED within
  // milliseconds of a stop.
  [[nodiscard]] virtual Expected<Reply> reply(const Conversation& conversation, const Listener& listener,
                                              const std::stop_token& stop) = 0;
};

}  // namespace helve::model
