// Replies of the Chat Completions API, put together from their deltas.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/dialect.h"

namespace helve::model {

[[nodiscard]] std::unique_ptr<ReplyReader> openai_reader(const Listener& listener,
                                                         const Addressee& addressee);

// An assistant's message in this dialect.
[[nodiscard]] Json openai_message(const std::string& text, const std::vector<ToolCall>& calls);

}  // namespace helve::model
