// A language model, whoever serves it: a conversation goes in, a reply with text and tool calls comes out.
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

// A call as the model wrote it. The arguments are text, because a model may write what is no JSON.
struct ToolCall {
  std::string id = {};  // made up when the server gave none
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
  std::int64_t input_tokens = 0;  // all of them, also those that came from a cache
  std::int64_t cached_tokens = 0;
  std::int64_t output_tokens = 0;

  bool operator==(const Usage&) const = default;
};

enum class StopReason {
  kEnd,          // said what it had to say
  kToolCalls,    // waits for results
  kLength,       // cut by the limit on output: its calls may be incomplete and must not run
  kContextFull,  // the conversation no longer fits
  kRefused,
  kPaused,  // wants to be called again with what it said
};

struct Reply {
  Json raw = {};  // the assistant's message as the server's dialect has it, to be sent back word for word
  std::string text = {};
  std::string reasoning = {};
  std::vector<ToolCall> calls = {};
  StopReason stop = StopReason::kEnd;
  Usage usage = {};
};

// What was said so far, in order.
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

// A tool as the model learns of it.
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

// Told while the reply comes in, on the caller's thread.
struct Listener {
  std::function<void(std::string_view)> on_text = {};
  std::function<void(std::string_view)> on_reasoning = {};
  std::function<void(const std::string& tool)> on_call = {};  // the model begins to write a call
  std::function<void(const Error& problem, std::chrono::milliseconds pause)> on_retry = {};
};

// Used from one thread at a time, by whoever owns it.
class Model {
 public:
  virtual ~Model() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  // Tokens of a conversation and its reply together; nothing when that is not known.
  [[nodiscard]] virtual std::optional<std::int64_t> context_window() const = 0;
  // Retried where that is safe: before the first piece of a reply was heard. CANCELLED within milliseconds of
  // a stop.
  [[nodiscard]] virtual Expected<Reply> reply(const Conversation& conversation, const Listener& listener,
                                              const std::stop_token& stop) = 0;
};

}  // namespace helve::model
