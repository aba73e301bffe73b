// What the two dialects share about calls and replies: arguments that can be sent back, turns of the other
// one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"
#include "model/model.h"

namespace helve::model {

// Arguments as servers take them back: an object. What is no JSON goes into one, so that the model sees what
// it wrote; templates of local servers fail on anything else.
[[nodiscard]] Json arguments_to_replay(std::string_view arguments);

// What a model said, without anything that only its own server understands.
struct PlainTurn {
  std::string text = {};
  std::vector<ToolCall> calls = {};
};

// Whether a raw message is in the form of the Messages API, and not of Chat Completions.
[[nodiscard]] bool is_in_blocks(const Json& raw);
// Reads a raw message of either form, for a conversation that goes on with another server.
[[nodiscard]] PlainTurn read_plain(const Json& raw);

// Gives every call an id of its own.
void complete_ids(std::vector<ToolCall>& calls);

}  // namespace helve::model
