// The user sees a change before it is made, and is not asked about calls that cannot work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/approval.h"
#include "core/testing.h"

namespace helve::core {
namespace {

using testing::RuntimeFixture;

// Says yes, and remembers what it was asked.
class Agreeable final : public Approver {
 public:
  Approval ask(const PermissionRequest& request, const std::stop_token& /*stop*/) override {
    asked.push_back(request);
    return {.granted = true};
  }
  std::vector<PermissionRequest> asked;
};

class LookAheadTest : public testing::RuntimeFixture {
 protected:
  LookAheadTest() : testing::RuntimeFixture(/*built_in_tools=*/true) {
    options_.settings.mode = Mode::kAsk;
    options_.approver = person_;
    std::ofstream(directory_.at("workspace/a.txt")) << "one\ntwo\n";
  }
  static Call edit(const std::string& from, const std::string& to, const std::string& path = "a.txt") {
    return {.tool = "edit", .arguments = JsonObject{{"path", path}, {"oldText", from}, {"newText", to}}};
  }

  std::shared_ptr<Agreeable> person_ = std::make_shared<Agreeable>();
};

TEST_F(LookAheadTest, ThePersonSeesTheDiffAndSoDoTheEvents) {
  const Answer answer = runtime().call(edit("two", "2"));
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  ASSERT_EQ(person_->asked.size(), 1U);
  const std::string& diff = person_->asked[0].diff;
  EXPECT_THAT(diff, ::testing::HasSubstr("\n-two\n+2\n"));
  bool shows_diff = false;
  for (const auto& event : runtime().default_session().events().after(0).events)
    if (const auto* tool = std::get_if<ToolEvent>(&event->body);
        tool != nullptr && tool->kind == ToolEvent::Kind::kPermissionRequired)
      shows_diff = tool->permission_request.find("diff") != nullptr;
  EXPECT_TRUE(shows_diff);
}

TEST_F(LookAheadTest, NobodyIsAskedAboutWhatCannotWork) {
  const Answer miss = runtime().call(edit("three", "3"));
  ASSERT_FALSE(miss.ok());
  EXPECT_EQ(miss.result.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(runtime().call(edit("two", "2", "b.txt")).ok());
  EXPECT_FALSE(runtime().call(edit("two", "2", "../outside.txt")).ok());
  std::filesystem::create_directories(directory_.at("workspace/.git/hooks"));
  const Answer guarded = runtime().call(
      {.tool = "write", .arguments = JsonObject{{"path", ".git/hooks/pre-commit"}, {"content", "x"}}});
  EXPECT_FALSE(guarded.ok());
  EXPECT_TRUE(person_->asked.empty());
}

TEST_F(LookAheadTest, ThingsThatAnEarlierCallOfTheBatchMakesPossibleAreAskedAbout) {
  const auto answers = runtime().call_many({edit("two", "2"), edit("2", "zwei")});
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_TRUE(answers[0].ok());
  EXPECT_TRUE(answers[1].ok());
  ASSERT_EQ(person_->asked.size(), 2U);
  EXPECT_TRUE(person_->asked[1].diff.empty());
}

TEST_F(LookAheadTest, APreviewThatOtherCallsMayOvertakeIsNoWholeOne) {
  const auto answers = runtime().call_many(
      {edit("two", "2"),
       {.tool = "write", .arguments = JsonObject{{"path", "a.txt"}, {"content", "one\ntwo\n"}}}});
  ASSERT_EQ(person_->asked.size(), 2U);
  const PermissionRequest& second = person_->asked[1];
  EXPECT_FALSE(second.diff_is_whole);
  EXPECT_EQ(approval_text(second).subject, to_text(second.arguments));
}

TEST_F(LookAheadTest, CallsOnOtherFilesLeaveAPreviewAsItIs) {
  std::ofstream(directory_.at("workspace/b.txt")) << "one\ntwo\n";
  const auto answers =
      runtime().call_many({edit("two", "2"), edit("two", "2", "b.txt"), edit("x", "y", "c.txt")});
  ASSERT_EQ(person_->asked.size(), 2U) << "there is no c.txt";
  EXPECT_TRUE(person_->asked[1].diff_is_whole);
}

TEST_F(LookAheadTest, WhatTheSessionDidBeforeCounts) {
  ASSERT_TRUE(runtime().call(edit("two", "2")).ok());
  const Answer undone = runtime().call({.tool = "undo", .arguments = JsonObject()});
  EXPECT_TRUE(undone.ok()) << undone.result.error().message;
  EXPECT_EQ(person_->asked.size(), 2U);
}

TEST_F(LookAheadTest, WhatMayNotBeReadIsNotShown) {
  options_.settings.permissions.ask = {"read(./a.txt)"};
  EXPECT_TRUE(runtime().call(edit("two", "2")).ok());
  ASSERT_FALSE(person_->asked.empty());
  EXPECT_TRUE(person_->asked[0].diff.empty());
}

TEST_F(LookAheadTest, ADenialLeavesEverythingAsItWas) {
  class Refusing final : public Approver {
    Approval ask(const PermissionRequest& /*request*/, const std::stop_token& /*stop*/) override {
      return {};
    }
  };
  options_.approver = std::make_shared<Refusing>();
  const Answer answer =
      runtime().call({.tool = "write", .arguments = JsonObject{{"path", "new/b.txt"}, {"content", "x"}}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.result.error().code, ErrorCode::kPermissionDenied);
  EXPECT_FALSE(std::filesystem::exists(directory_.at("workspace/new")));
}

TEST_F(LookAheadTest, WhatTheDiffDoesNotShowIsThereAsWell) {
  std::ofstream(directory_.at("workspace/b.sh")) << "x\n";
  std::ofstream(directory_.at("workspace/empty.txt")) << "";
  const std::string patch =
      "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
      "diff --git a/b.sh b/c.sh\nold mode 100644\nnew mode 100755\nrename from b.sh\nrename to c.sh\n"
      "diff --git a/empty.txt b/empty.txt\ndeleted file mode 100644\n";
  ASSERT_TRUE(runtime().call({.tool = "apply_patch", .arguments = JsonObject{{"patch", patch}}}).ok());
  std::string many;
  for (int i = 0; i < 300; ++i) many += "harmless\n";
  for (const std::string& content : {many, std::string("a\0b", 3)})
    ASSERT_TRUE(
        runtime()
            .call({.tool = "write", .arguments = JsonObject{{"path", "new.txt"}, {"content", content}}})
            .ok());
  ASSERT_EQ(person_->asked.size(), 3U);
  for (const PermissionRequest& request : person_->asked) {
    EXPECT_FALSE(request.diff_is_whole);
    const ApprovalText text = approval_text(request);
    EXPECT_TRUE(std::ranges::any_of(text.facts, [&](const auto& fact) {
      return fact.second == to_text(request.arguments);
    })) << text.subject;
  }
  ASSERT_TRUE(runtime().call(edit("one", "1")).ok());
  EXPECT_TRUE(person_->asked.back().diff_is_whole);
  EXPECT_FALSE(approval_text(person_->asked.back()).subject.contains("oldText"));
}

TEST_F(LookAheadTest, AHookThatAsksIsNotLookedPast) {
  const std::string hook = directory_.at("hook");
  std::ofstream(hook) << "#!/bin/sh\necho '{\"decision\": \"ask\"}'\n";
  std::filesystem::permissions(hook, std::filesystem::perms::owner_all);
  options_.settings.hooks.before = {{.match = "edit", .command = hook}};
  const Answer answer = runtime().call(edit("three", "3"));
  EXPECT_FALSE(answer.ok());
  ASSERT_EQ(person_->asked.size(), 1U);
  EXPECT_TRUE(person_->asked[0].diff.empty());
}

TEST_F(LookAheadTest, ARuleThatAsksAboutChangesHidesNothing) {
  options_.settings.permissions.ask = {"edit"};
  EXPECT_TRUE(runtime().call(edit("two", "2")).ok());
  ASSERT_EQ(person_->asked.size(), 1U);
  EXPECT_FALSE(person_->asked[0].diff.empty());
}

TEST_F(LookAheadTest, AFileThatChangedSinceItWasReadIsNoQuestion) {
  ASSERT_TRUE(runtime().call({.tool = "read", .arguments = JsonObject{{"path", "a.txt"}}}).ok());
  std::ofstream(directory_.at("workspace/a.txt")) << "one\nzwei\n";
  const Answer answer =
      runtime().call({.tool = "write", .arguments = JsonObject{{"path", "a.txt"}, {"content", "three\n"}}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.result.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(person_->asked.empty());
}

TEST_F(LookAheadTest, NobodyWaitsForAnAnswerThatNobodyCanGive) {
  class Absent final : public Approver {
    bool can_ask(const PermissionRequest& /*request*/) override { return false; }
    Approval ask(const PermissionRequest& /*request*/, const std::stop_token& /*stop*/) override {
      ADD_FAILURE() << "was asked";
      return {};
    }
  };
  options_.approver = std::make_shared<Absent>();
  const Answer answer = runtime().call(edit("three", "3"));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.result.error().code, ErrorCode::kPermissionDenied);
}

TEST_F(LookAheadTest, AnUndoShowsWhatItWouldTakeBack) {
  ASSERT_TRUE(runtime().call(edit("two", "2")).ok());
  ASSERT_TRUE(runtime().call({.tool = "undo", .arguments = JsonObject()}).ok());
  ASSERT_EQ(person_->asked.size(), 2U);
  EXPECT_THAT(person_->asked[1].diff, ::testing::HasSubstr("\n-2\n+two\n"));
  EXPECT_FALSE(runtime().call({.tool = "undo", .arguments = JsonObject()}).ok());
  EXPECT_EQ(person_->asked.size(), 2U);  // there is nothing left
}

TEST_F(LookAheadTest, ARedoShowsWhatItWouldMakeAgainAndForgettingSaysWhatIsLost) {
  const auto history = [](const char* action) {
    return Call{.tool = "history", .arguments = JsonObject{{"action", action}}};
  };
  ASSERT_TRUE(runtime().call(edit("two", "2")).ok());
  ASSERT_TRUE(runtime().call({.tool = "undo", .arguments = JsonObject()}).ok());
  ASSERT_TRUE(runtime().call(history("redo")).ok());
  ASSERT_EQ(person_->asked.size(), 3U);
  EXPECT_THAT(person_->asked[2].diff, ::testing::HasSubstr("\n-two\n+2\n"));
  EXPECT_FALSE(runtime().call(history("redo")).ok());
  EXPECT_EQ(person_->asked.size(), 3U);  // there is nothing left
  ASSERT_TRUE(runtime().call(history("clear")).ok());
  EXPECT_EQ(approval_text(person_->asked.back()).subject,
            "would forget 1 change of this session; 1 that can be undone now could not be any more");
  EXPECT_FALSE(runtime().call(history("clear")).ok());
  EXPECT_EQ(person_->asked.size(), 4U);
}

TEST_F(LookAheadTest, AWriteOfWhatIsThereSaysSo) {
  const Call write{.tool = "write", .arguments = JsonObject{{"path", "a.txt"}, {"content", "one\ntwo\n"}}};
  ASSERT_TRUE(runtime().call(write).ok());
  ASSERT_EQ(person_->asked.size(), 1U);
  EXPECT_TRUE(approval_text(person_->asked[0]).subject.starts_with("a.txt unchanged"));
}

TEST_F(LookAheadTest, ACommandWithoutAPlaceToRunIsNoQuestion) {
  const Answer answer =
      runtime().call({.tool = "exec", .arguments = JsonObject{{"command", "true"}, {"cwd", "nowhere"}}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.result.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(person_->asked.empty());
}

TEST_F(LookAheadTest, WhatMayNotBeReadIsNotFoundOutByADirectory) {
  options_.settings.permissions.deny = {"read(./secrets/**)"};
  std::filesystem::create_directories(directory_.at("workspace/secrets/real"));
  for (const char* place : {"secrets/real", "secrets/nowhere"})
    static_cast<void>(
        runtime().call({.tool = "exec", .arguments = JsonObject{{"command", "touch z"}, {"cwd", place}}}));
  EXPECT_EQ(person_->asked.size(), 2U);
}

TEST_F(LookAheadTest, WhatIsDoneToACommandNamesIt) {
  const auto process = [](JsonObject arguments) {
    return Call{.tool = "process", .arguments = std::move(arguments)};
  };
  EXPECT_FALSE(runtime().call(process({{"action", "kill"}, {"sessionId", "cmd_9"}})).ok());
  EXPECT_TRUE(person_->asked.empty());
  const Answer started =
      runtime().call({.tool = "exec", .arguments = JsonObject{{"command", "cat"}, {"background", true}}});
  ASSERT_TRUE(started.ok()) << started.result.error().message;
  const std::string id = started.result->data.find("sessionId")->as_string();
  EXPECT_TRUE(runtime()
                  .call(process({{"action", "write"}, {"sessionId", id}, {"data", "hi\n"}, {"eof", true}}))
                  .ok());
  EXPECT_TRUE(runtime().call(process({{"action", "kill"}, {"sessionId", id}})).ok());
  ASSERT_EQ(person_->asked.size(), 3U);
  EXPECT_EQ(approval_text(person_->asked[1]).subject,
            "write to " + id + " (\"cat\") and close its input: \"hi\\n\"");
  EXPECT_TRUE(approval_text(person_->asked[2]).subject.starts_with("end " + id + " (\"cat\")"));
}

TEST_F(LookAheadTest, ASnippetShowsWhatItReplaces) {
  const auto save = [](const char* code) {
    return Call{.tool = "snippet_save",
                .arguments = JsonObject{{"name", "hello"}, {"code", code}, {"description", "A greeting."}}};
  };
  ASSERT_TRUE(runtime().call(save("print('hi')\n")).ok());
  ASSERT_TRUE(runtime().call(save("print('hello')\n")).ok());
  ASSERT_TRUE(runtime().call({.tool = "snippet_delete", .arguments = JsonObject{{"name", "hello"}}}).ok());
  ASSERT_EQ(person_->asked.size(), 3U);
  EXPECT_EQ(person_->asked[0].notes, std::vector<std::string>{"Description: \"A greeting.\", was \"\""});
  EXPECT_TRUE(person_->asked[1].diff.contains("\n-print('hi')\n+print('hello')\n"));
  EXPECT_TRUE(person_->asked[1].notes.at(0).starts_with("Replaces the one of "));
  EXPECT_TRUE(person_->asked[2].diff.contains("\n-print('hello')\n"));
  for (const PermissionRequest& request : person_->asked) EXPECT_TRUE(request.diff_is_whole);
}

TEST_F(LookAheadTest, TheAuditKnowsOfIt) {
  ASSERT_FALSE(runtime().call(edit("three", "3")).ok());
  const std::string audit = directory_.read("state/audit.jsonl");
  EXPECT_THAT(audit, ::testing::HasSubstr("\"kind\":\"preview\""));
}

}  // namespace
}  // namespace helve::core
