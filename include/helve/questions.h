// Questions to the person, and to the model of whoever uses a session, that a tool asks while it runs.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"

namespace helve {

struct Choice {
  std::string value = {};  // comes back when it is chosen
  std::string label = {};  // for the person; the value when empty
};

// One question: with choices, as a form, or as a page to open.
struct Question {
  std::string call_id = {};
  std::string server = {};  // the MCP server that asks; empty for our own tools
  std::string text = {};
  std::vector<Choice> choices = {};
  bool several = false;                     // more than one choice may be taken
  bool own_words = true;                    // an answer that is none of the choices is welcome
  std::vector<std::string> suggested = {};  // what counts when the person only confirms
  Json form = {};        // instead of choices: a JSON Schema object with fields of plain types
  std::string url = {};  // instead of both: what the person has to visit
  std::optional<std::chrono::milliseconds> patience = {};
};

struct Reply {
  enum class Kind { kAnswered, kDeclined, kDismissed };
  Kind kind = Kind::kDismissed;
  std::vector<std::string> values = {};
  Json form = {};  // the fields, when a form was asked for
};

// Brings a question to a person and waits for the answer. Used from many threads at once.
class Asker {
 public:
  virtual ~Asker() = default;
  // UNAVAILABLE when there is nobody, CANCELLED when stopped, TIMEOUT when patience is over.
  [[nodiscard]] virtual Expected<Reply> ask(const Question& question, const std::stop_token& stop) = 0;
};

// Lets the client's own model write something. Used from many threads at once.
class Sampler {
 public:
  virtual ~Sampler() = default;
  // Parameters and result as in MCP's sampling/createMessage.
  // For the call of that id.
  [[nodiscard]] virtual Expected<Json> sample(const std::string& call_id, const Json& parameters,
                                              const std::stop_token& stop) = 0;
};

}  // namespace helve
