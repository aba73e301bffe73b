// Questions that a running tool asks: to the user (Asker), or to the client's own model (Sampler).
//
// Implement Asker to bring the questions of ask_user to your users:
//
//   #include <helve/questions.h>
//   #include <iostream>
//   class Console final : public helve::Asker {
//    public:
//     helve::Expected<helve::Reply> ask(const helve::Question& question, const std::stop_token&) override {
//       std::cout << question.text << "\n";
//       for (const helve::Choice& choice : question.choices) std::cout << "  " << choice.value << "\n";
//       std::string answer;
//       if (!std::getline(std::cin, answer))
//         return helve::fail(helve::ErrorCode::kUnavailable, "stdin has ended.");
//       return helve::Reply{.kind = helve::Reply::Kind::kAnswered, .values = {answer}};
//     }
//   };
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/error.h"
#include "helve/json.h"

namespace HELVE_API helve {

struct Choice {
  std::string value = {};  // returned in Reply::values when it is chosen
  std::string label = {};  // shown to the user; the value when empty
};

// One question. Exactly one of `choices`, `form` and `url` says how to answer it; without all three, the
// answer is free text.
struct Question {
  std::string call_id = {};
  std::string server = {};  // the MCP server that asks; empty for Helve's own tools
  std::string text = {};
  std::vector<Choice> choices = {};
  bool several = false;                     // more than one choice may be selected
  bool own_words = true;                    // a free text is accepted besides the choices
  std::vector<std::string> suggested = {};  // the answer when the user only confirms
  Json form = {};        // instead of choices: a JSON Schema object whose fields have plain types
  std::string url = {};  // instead of both: a page that the user must open
  std::optional<std::chrono::milliseconds> patience = {};  // how long to wait; no limit when empty
};

struct Reply {
  enum class Kind {
    kAnswered,  // `values` or `form` holds the answer
    kDeclined,  // the user refused to answer
    kDismissed  // the user closed the question
  };
  Kind kind = Kind::kDismissed;
  std::vector<std::string> values = {};  // values of choices, or the user's own words
  Json form = {};                        // the fields, when Question::form was set
};

// Asks the user a question and waits for the answer. Passed in RuntimeOptions or SessionOptions, which share
// ownership of it. ask() may be called from several threads at once.
class Asker {
 public:
  virtual ~Asker() = default;

  // Returns the reply, or one of these errors:
  //   UNAVAILABLE  the user cannot be asked
  //   CANCELLED    `stop` was requested
  //   TIMEOUT      Question::patience has passed
  // `question` is valid until this returns. Its texts come from a model or a server: escape them.
  [[nodiscard]] virtual Expected<Reply> ask(const Question& question, const std::stop_token& stop) = 0;
};

// Lets the client's own model write a text, for MCP servers that ask for it. Passed and owned like an Asker.
// sample() may be called from several threads at once.
class Sampler {
 public:
  virtual ~Sampler() = default;

  // `parameters` and the result are those of MCP's sampling/createMessage. `call_id` is the tool call on
  // whose behalf the model is used. Return CANCELLED after `stop` is requested, and UNAVAILABLE without a
  // model.
  [[nodiscard]] virtual Expected<Json> sample(const std::string& call_id, const Json& parameters,
                                              const std::stop_token& stop) = 0;
};

}  // namespace helve
