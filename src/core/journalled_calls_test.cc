// Calls with a journal: on_start runs before the tool, and on_answer before the event of the end.
#include <gtest/gtest.h>

#include "core/testing.h"

namespace helve::core {
namespace {

class JournalledCallsTest : public testing::RuntimeFixture {
 protected:
  void add_tool(Effect effect) {
    ASSERT_TRUE(runtime().add(make_tool({.name = "work", .description = "Works.", .effect = effect},
                                        [this](Context&, const Json&) -> Result {
                                          log_ += "run ";
                                          return Output{.content = "worked"};
                                        })));
  }
  Call journalled(Json arguments = JsonObject()) {
    Call call{.tool = "work", .arguments = std::move(arguments)};
    call.on_start = [this](Effect effect) -> Expected<void> {
      log_ += std::string("start:") + std::string(name_of(effect)) + " ";
      if (refuses_) return fail(ErrorCode::kExecutionFailed, "The disk is full.", "Make room.");
      return {};
    };
    call.on_answer = [this](const Answer& answer) {
      log_ += answer.ok() ? "ok " : "failed ";
      events_at_answer_ = runtime().default_session().events().last_seq();
    };
    return call;
  }

  std::string log_;
  bool refuses_ = false;
  std::uint64_t events_at_answer_ = 0;
};

TEST_F(JournalledCallsTest, StartsBeforeTheToolRunsAndAnswersBeforeTheEvent) {
  add_tool(Effect::kWrite);
  EXPECT_TRUE(runtime().call(journalled()).ok());
  EXPECT_EQ(log_, "start:write run ok ");
  EXPECT_EQ(runtime().default_session().events().last_seq(), events_at_answer_ + 1);
}

TEST_F(JournalledCallsTest, WhatCannotBeWrittenDownIsNotDone) {
  add_tool(Effect::kWrite);
  refuses_ = true;
  const Answer answer = runtime().call(journalled());
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.result.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(answer.result.error().message,
            "The call could not be written down, so it was not made: The disk is full.");
  EXPECT_EQ(answer.result.error().hint, "Make room.");
  EXPECT_EQ(log_, "start:write failed ");
}

TEST_F(JournalledCallsTest, ARefusedCallHasAnAnswerButNoStart) {
  options_.settings.mode = Mode::kPlan;
  add_tool(Effect::kWrite);
  EXPECT_FALSE(runtime().call(journalled()).ok());
  EXPECT_EQ(log_, "failed ");
}

TEST_F(JournalledCallsTest, TextInPlaceOfArgumentsIsRefusedWithTheReason) {
  add_tool(Effect::kRead);
  const Answer broken = runtime().call(journalled("{\"path\": "));
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(broken.result.error().message.starts_with("The arguments of work are not valid JSON: "))
      << broken.result.error().message;
  const Answer text = runtime().call(journalled("\"x\""));
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(log_, "failed failed ");
}

}  // namespace
}  // namespace helve::core
