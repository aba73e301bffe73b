#include "model/dialect.h"

#include <set>
#include <utility>

#include "base/clock.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"

namespace helve::model {

Json arguments_to_replay(std::string_view arguments) {
  if (trim(arguments).empty()) return JsonObject();
  if (auto parsed = parse_json(arguments); parsed && parsed->is_object()) return *std::move(parsed);
  return JsonObject{{"INVALID_JSON", Json(arguments)}};
}

bool is_in_blocks(const Json& raw) { return array_in(raw, "content") != nullptr; }

PlainTurn read_plain(const Json& raw) {
  PlainTurn turn;
  if (const JsonArray* const blocks = array_in(raw, "content")) {
    for (const Json& block : *blocks) {
      if (string_in(block, "type") == "text") turn.text += string_in(block, "text");
      if (string_in(block, "type") != "tool_use") continue;
      const Json* const input = block.find("input");
      turn.calls.push_back({std::string(string_in(block, "id")), std::string(string_in(block, "name")),
                            input != nullptr ? to_text(*input) : "{}"});
    }
  }
  turn.text += string_in(raw, "content");
  if (const JsonArray* const calls = array_in(raw, "tool_calls")) {
    for (const Json& call : *calls) {
      const Json* const function = object_in(call, "function");
      if (function == nullptr) continue;
      turn.calls.push_back({std::string(string_in(call, "id")), std::string(string_in(*function, "name")),
                            std::string(string_in(*function, "arguments"))});
    }
  }
  return turn;
}

void complete_ids(std::vector<ToolCall>& calls) {
  std::set<std::string> known;
  for (ToolCall& call : calls) {
    while (call.id.empty() || known.contains(call.id)) call.id = random_id("call");
    known.insert(call.id);
  }
}

}  // namespace helve::model
