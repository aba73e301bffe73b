// Kills an agent's process before and after every recorded step, then resumes the session.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "agent/journal.h"
#include "agent/testing.h"
#include "base/json_parse.h"

namespace helve::agent {
namespace {

// Kills its own process at the given step.
class DyingRecords final : public store::SessionRecords {
 public:
  struct When {
    int step = 0;  // starts at 1; 0: never
    bool before = false;
  };
  DyingRecords(store::SessionRecords& inner, When when) : inner_(inner), when_(when) {}

  Expected<store::SessionRecord> append(std::string_view id, const store::SessionStep& step) override {
    const bool now = ++steps_ == when_.step;
    if (now && when_.before) ::raise(SIGKILL);
    auto record = inner_.append(id, step);
    if (now) ::raise(SIGKILL);
    for (const store::EventDraft& event : step.events)
      if (event.body.contains("deposited one")) has_first_result_ = true;
    return record;
  }
  [[nodiscard]] bool has_first_result() const { return has_first_result_; }

  Expected<store::SessionRecord> create(const store::SessionDraft& draft) override {
    return inner_.create(draft);
  }
  Expected<store::SessionRecord> load(std::string_view id) override { return inner_.load(id); }
  Expected<std::vector<store::SessionEvent>> events(std::string_view id, std::uint64_t after,
                                                    std::size_t most, std::size_t bytes) override {
    return inner_.events(id, after, most, bytes);
  }
  Expected<store::SessionList> list(const store::SessionFilter& filter) override {
    return inner_.list(filter);
  }
  Expected<void> remove(std::string_view id) override { return inner_.remove(id); }

 private:
  store::SessionRecords& inner_;
  const When when_;
  int steps_ = 0;
  std::atomic<bool> has_first_result_ = false;
};

class KillTest : public AgentTest {
 protected:
  KillTest() { options_.settings.mode = Mode::kAsk; }

  // A tool whose effects can be counted.
  void add_deposit() {
    ToolDefinition definition{.name = "deposit", .description = "Adds a line.", .effect = Effect::kWrite};
    definition.params.members.push_back({.name = "line", .required = true});
    ASSERT_TRUE(runtime().add(make_tool(definition, [this](Context&, const Json& arguments) -> Result {
      const std::string line = arguments.find("line")->as_string();
      std::ofstream(directory_.at("deposits"), std::ios::app) << line << "\n" << std::flush;
      // Calls run concurrently. Before the second one dies, the first must have finished and been recorded.
      while (line == "two" && line == die_after_ && !dying_->has_first_result())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (line == die_after_) ::raise(SIGKILL);
      return Output{.content = "deposited " + line};
    })));
  }
  void play() {
    model_.then(
        want({{"c1", "deposit", JsonObject{{"line", "one"}}}, {"c2", "deposit", JsonObject{{"line", "two"}}}},
             "Two at once."));
    model_.then(want({{"c3", "deposit", JsonObject{{"line", "three"}}}}));
    model_.then(say("All done."));
  }
  // Runs the agent in a child process. Returns whether it was killed.
  bool run_in_child(DyingRecords::When when) {
    forget();
    store_.reset();
    const pid_t child = ::fork();
    if (child == 0) {
      add_deposit();
      DyingRecords dying(records(), when);
      other_records_ = &dying;
      dying_ = &dying;
      ::_exit(agent().say("Go").is_done() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }
  std::string session() {
    const auto list = records().list({});
    return list && !list->sessions.empty() ? list->sessions.front().id : std::string();
  }
  std::map<std::string, int> deposits() {
    std::map<std::string, int> counts;
    std::ifstream file(directory_.at("deposits"));
    for (std::string line; std::getline(file, line);) ++counts[line];
    return counts;
  }
  std::vector<CallState> calls() {
    std::vector<CallState> all;
    for (const Transcript::Item& item : agent().transcript().items())
      if (const auto* round = std::get_if<Round>(&item))
        all.insert(all.end(), round->calls.begin(), round->calls.end());
    return all;
  }

  Agent& resumed_with_deposit(const std::string& id) {
    agent_ = Agent::resume(parts(), id).value();
    return *agent_;
  }
  static std::string parse_line(const CallState& call) {
    return parse_json(call.planned.requested.arguments)->find("line")->as_string();
  }

  std::string die_after_;
  const DyingRecords* dying_ = nullptr;
};

TEST_F(KillTest, NoCallRunsTwiceWhereverTheProcessIsKilled) {
  play();
  int killed = 0;
  int unknown_seen = 0;
  int asked_again = 0;
  bool more = true;
  for (int step = 1; more; ++step) {
    for (const bool before : {true, false}) {
      SCOPED_TRACE(concat("killed ", before ? "before" : "after", " step ", step));
      std::filesystem::remove_all(directory_.at("store"));
      std::filesystem::remove(directory_.at("deposits"));
      approver_ = everything_allowed();
      more = run_in_child({step, before});
      if (!more) break;
      ++killed;
      const auto approver = everything_allowed();
      approver_ = approver;
      const std::string id = session();
      ASSERT_FALSE(id.empty());
      const auto before_resume = load_entries(records(), id).value();
      Transcript left;
      for (const Entry& entry : before_resume) left.add(entry);
      add_deposit();
      agent_ = Agent::resume(parts(), id).value();
      if (left.empty()) {
        EXPECT_EQ(agent().say("Go").reason, "done");  // killed before the task was recorded
      } else if (left.is_unfinished()) {
        EXPECT_EQ(agent().continue_turn().reason, "done");
      }
      EXPECT_EQ(agent().last_text(), "All done.");
      // Answers from before the kill are reused; everything else is asked again.
      std::size_t answered_before = 0;
      for (const Entry& entry : before_resume)
        if (std::holds_alternative<ApprovalEntry>(entry)) ++answered_before;
      EXPECT_EQ(approver->asked.size() + answered_before, 3u);
      asked_again += static_cast<int>(approver->asked.size());
      auto counts = deposits();
      ASSERT_EQ(calls().size(), 3u);
      for (const CallState& call : calls()) {
        ASSERT_TRUE(call.result.has_value());
        const std::string line = parse_line(call);
        EXPECT_LE(counts[line], 1) << line;
        if (!call.result->failed()) {
          EXPECT_EQ(counts[line], 1) << line;
          continue;
        }
        EXPECT_EQ(call.result->code, "OUTCOME_UNKNOWN");
        ++unknown_seen;
      }
      forget();
    }
  }
  EXPECT_GE(killed, 24);
  // Each of the three calls was killed both after its start and before its result.
  EXPECT_GE(unknown_seen, 6);
  EXPECT_GT(asked_again, 0);
}

TEST_F(KillTest, ACallKilledWhileRunningHasAnUnknownOutcome) {
  play();
  approver_ = everything_allowed();
  die_after_ = "two";
  ASSERT_TRUE(run_in_child({}));
  die_after_.clear();
  const std::string id = session();
  add_deposit();
  EXPECT_EQ(resumed_with_deposit(id).continue_turn().reason, "done");
  EXPECT_EQ(deposits(), (std::map<std::string, int>{{"one", 1}, {"two", 1}, {"three", 1}}));
  EXPECT_EQ(calls()[0].result->content, "deposited one");
  EXPECT_EQ(calls()[1].result->content,
            "OUTCOME_UNKNOWN: Helve was interrupted while deposit ran, so its outcome is unknown. "
            "It was not run again.\n"
            "Check the current state before you decide whether to repeat the call.");
  EXPECT_TRUE(event_lines().front().starts_with("error c2 deposit Helve was interrupted")) << events_text();
}

TEST_F(KillTest, AsksAnInterruptedQuestionAgain) {
  model_.then(want({{"c1", "ask_user", JsonObject{{"question", "Which?"}}}}));
  model_.then(say("I see."));
  asker_ = std::make_shared<ScriptedAsker>([](const auto&, const auto&) -> Expected<helve::Reply> {
    ::raise(SIGKILL);
    return fail(Error());
  });
  ASSERT_TRUE(run_in_child({}));
  const auto asker = std::make_shared<ScriptedAsker>([](const auto&, const auto&) {
    return helve::Reply{.kind = helve::Reply::Kind::kAnswered, .values = {"this"}};
  });
  asker_ = asker;
  EXPECT_EQ(resumed(session()).continue_turn().reason, "done");
  EXPECT_EQ(asker->asked, std::vector<std::string>{"Which?"});
  EXPECT_EQ(model_.last_results()[0].content, "this");
}

TEST_F(KillTest, ADenialBeforeTheCrashCountsForItsCallOnly) {
  play();
  approver_ = std::make_shared<ScriptedApprover>([](const PermissionRequest& request, const auto&) {
    if (request.call_id == "c2") ::raise(SIGKILL);
    return Approval{.granted = false, .reason = "not one"};
  });
  ASSERT_TRUE(run_in_child({}));
  const auto approver = everything_allowed();
  approver_ = approver;
  const std::string id = session();
  add_deposit();
  EXPECT_EQ(resumed_with_deposit(id).continue_turn().reason, "done");
  EXPECT_EQ(approver->asked, (std::vector<std::string>{"c2", "c3"}));
  EXPECT_EQ(deposits(), (std::map<std::string, int>{{"two", 1}, {"three", 1}}));
  EXPECT_TRUE(
      calls()[0].result->content.starts_with("PERMISSION_DENIED: User denied the request. Reason: not one"));
}

TEST_F(KillTest, ANewMessageAfterACrashCancelsWaitingCalls) {
  play();
  approver_ = everything_allowed();
  die_after_ = "one";
  ASSERT_TRUE(run_in_child({}));
  die_after_.clear();
  const std::string id = session();
  model_.script.resize(1);
  model_.then(say("Stopped."));
  add_deposit();
  EXPECT_EQ(resumed_with_deposit(id).say("Stop it.").reason, "done");
  EXPECT_EQ(deposits(), (std::map<std::string, int>{{"one", 1}}));
  EXPECT_EQ(calls()[0].result->code, "OUTCOME_UNKNOWN");
  EXPECT_EQ(calls()[1].result->code, "CANCELLED");
}

}  // namespace
}  // namespace helve::agent
