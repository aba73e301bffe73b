// Asks the user a question.
#include <algorithm>

#include "base/strings.h"
#include "helve/session.h"
#include "helve/tool.h"

namespace helve::tools {

struct AskUser {
  static constexpr std::string_view kDescription =
      "Ask the user a question and wait for the answer.\n"
      "Use it only for what you cannot find out and must not decide yourself. Offer options if you can.";
  static constexpr Effect kEffect = Effect::kAsk;
  static constexpr std::string_view kData = "{answers: [string]}";
  static constexpr std::string_view kGroup = "interaction";
  static constexpr std::chrono::milliseconds kTimeLimit{3'600'000};  // the user may need time

  struct Params {
    std::string question;
    std::vector<std::string> options;
    bool multiple = false;
    std::string preset;
    std::optional<int> timeout_ms;

    void describe(ParamSpec& p) {
      p.required("question", question, "The question.", {.min_length = 1, .max_length = 4'000});
      p.optional("options", options, "Answers to choose from; other answers stay possible.",
                 {.max_length = 10});
      p.optional("multiple", multiple, "Allow several options.");
      p.optional("default", preset, "Answer if the user just confirms.");
      p.optional("timeoutMs", timeout_ms, "Longest wait.", {.min = 100, .max = 3'600'000});
    }
  };

  std::vector<Resource> resources(const Params& /*params*/) const {
    return {{"session:user"}};
  }  // one question at a time
  std::optional<std::chrono::milliseconds> time_limit(const Params& params) const {
    if (!params.timeout_ms) return {};
    return std::chrono::milliseconds(*params.timeout_ms);
  }
  Result execute(Context& context, const Params& params) const;
};

namespace {

Error nobody_there() {
  return {.code = ErrorCode::kUnavailable,
          .message = "The user cannot be asked here.",
          .hint = "Decide yourself and say what you assumed, or end with the question as your answer."};
}

}  // namespace

Result AskUser::execute(Context& context, const Params& params) const {
  Asker* asker = context.session().asker();
  if (asker == nullptr) return fail(nobody_there());
  Question question{.call_id = context.call_id(), .text = params.question, .several = params.multiple};
  for (const std::string& option : params.options) question.choices.push_back({.value = option});
  if (!params.preset.empty()) question.suggested = {params.preset};
  question.patience =
      std::max(std::chrono::milliseconds(1),
               std::chrono::floor<std::chrono::milliseconds>(context.deadline() - Context::Clock::now()));
  const auto reply = asker->ask(question, context.stop_token());
  if (!reply && reply.error().code == ErrorCode::kUnavailable) return fail(nobody_there());
  if (!reply) return fail(context.should_stop() ? context.stop_error() : reply.error());
  if (reply->kind != Reply::Kind::kAnswered)
    return fail(ErrorCode::kCancelled,
                reply->kind == Reply::Kind::kDeclined ? "The user does not want to answer."
                                                      : "The user closed the question without an answer.",
                "Go on without it, or do something else first.");
  std::vector<std::string> values = reply->values;
  if (values.empty() && !params.preset.empty()) values = {params.preset};
  const std::string answer = join(values, ", ");
  JsonArray all(values.begin(), values.end());
  return Output{.summary = concat("The user answered: ", answer),
                .content = answer.empty() ? "(an empty answer)" : answer,
                .data = JsonObject{{"answers", std::move(all)}}};
}

}  // namespace helve::tools
