// The client against a server with every fault that real ones were seen with.
#include <signal.h>

#include <thread>

#include "lsp/testing.h"

namespace helve::lsp {
namespace {

using std::chrono::milliseconds;

class FakeServerTest : public LspTest {
 protected:
  FakeServerTest() {
    write("a.fake", "def first\nuses second\n\"🎉 名\" first\n");
    write("b.fake", "def second\nfirst\n");
  }
  void use(const std::string& faults) { use_fake(HELVE_SOURCE, faults); }
  Expected<FoundPlaces> definition(std::size_t line, std::size_t character,
                                   milliseconds time = milliseconds(60'000)) {
    return questions().definition({.path = "a.fake", .position = Position{line, character}}, in_time(time));
  }
};

TEST_F(FakeServerTest, FindsDefinitionsByPositionAndByName) {
  use("");
  auto found = definition(2, 7);  // behind an emoji, which counts two, and a han character
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(shown(*found), "a.fake:1:5\n");
  EXPECT_EQ(found->spots.front().text, "def first");
  EXPECT_FALSE(found->told.partial);
  found = questions().definition({.path = "a.fake", .symbol = "second"}, in_time());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(shown(*found), "b.fake:1:5\n");
}

TEST_F(FakeServerTest, ADeclarationIsNoSecondDefinition) {
  write("c.fake", "def third\n");
  write("d.fake", "def third\n");
  const Target target{.path = "a.fake", .symbol = "third"};
  const auto notes = [&] {
    const auto found = questions().definition(target, in_time());
    return found ? join(found->told.notes, "\n") : found.error().message;
  };
  // As clangd is without an index: it knows of no uses in other files, but of declarations.
  use("no-uses-elsewhere");
  EXPECT_TRUE(notes().contains("third has 2 definitions")) << notes();
  servers_.reset();
  use("no-uses-elsewhere,declares");
  EXPECT_EQ(notes(), "");
  const auto renamed = questions().rename(target, "fourth", in_time());
  ASSERT_FALSE(renamed) << "the uses that it does not know of would keep their name";
  EXPECT_TRUE(renamed.error().message.contains("third has 2 definitions")) << renamed.error().message;
}

TEST_F(FakeServerTest, AnswersWhateverTheServerAsks) {
  use("needs-configuration");
  settings_.servers["fake"].settings = Json(JsonObject{{"fake", JsonObject{{"deep", 42}}}});
  ASSERT_TRUE(definition(0, 5));
  servers_.reset();  // all was said and heard then
  std::string answers;
  for (const Json& each : heard())
    if (text_member(each, "method").empty() && each.find("id") != nullptr)
      answers += concat(to_text(*each.find("result")), " ", to_text(*each.find("error")), "\n");
  EXPECT_TRUE(answers.starts_with("[42,null] null\nnull null\n[{\"uri\":\"file://")) << answers;
  EXPECT_NE(answers.find("null null\n{\"applied\":false"), std::string::npos) << answers;
  EXPECT_NE(answers.find("null {\"code\":-32601"), std::string::npos) << answers;
  // Null parameters are left out: TypeScript 7 takes them for an error.
  for (const Json& each : heard())
    if (text_member(each, "method") == "shutdown") {
      EXPECT_EQ(*each.find("has_params"), Json(false));
    }
  EXPECT_EQ(heard_count("method", "exit"), 1U);
}

TEST_F(FakeServerTest, ARequestWithTheNumberOfOursIsNoAnswer) {
  use("same-id,noise");
  const auto found = definition(0, 5);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(shown(*found), "a.fake:1:5\n");
}

TEST_F(FakeServerTest, LateRepliesOfCancelledQuestionsAreDropped) {
  use("late-reply");
  ASSERT_TRUE(servers().server_for(path("a.fake"), in_time()));
  ASSERT_TRUE(questions().hover({.path = "a.fake", .symbol = "first"}, in_time()));
  const auto found = definition(0, 5, milliseconds(500));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kTimeout);
  const auto hover = questions().hover({.path = "a.fake", .symbol = "first"}, in_time());
  ASSERT_TRUE(hover) << hover.error().message;
  EXPECT_EQ(hover->text, "```fake\ndef first\n```\n\nMore *words*.");
}

TEST_F(FakeServerTest, ACancelledCallReturnsAtOnce) {
  use("late-reply");
  ASSERT_TRUE(servers().server_for(path("a.fake"), in_time()));
  std::stop_source stop;
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(milliseconds(300));
    stop.request_stop();
  });
  const auto found =
      questions().definition({.path = "a.fake", .position = Position{0, 5}},
                             {.deadline = Clock::now() + std::chrono::hours(1), .stop = stop.get_token()});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kCancelled);
}

TEST_F(FakeServerTest, AServerThatNeverAnswersIsUnavailable) {
  use("silent");
  settings_.start_seconds = 1;
  const auto found = definition(0, 5);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(found.error().message.find("did not answer initialize within 1 second"), std::string::npos)
      << found.error().message;
  EXPECT_EQ(*found.error().details.find("state"), Json("unavailable"));
}

TEST_F(FakeServerTest, AServerThatEndsAtOnceSaysWhy) {
  use("exit-at-start");
  const auto found = definition(0, 5);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("cannot find my library"), std::string::npos) << found.error().message;
  // And is not tried at every question.
  const auto again = definition(0, 5);
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().hint.find("It ended 1 time lately"), std::string::npos) << again.error().hint;
}

TEST_F(FakeServerTest, AQuestionSurvivesOneCrash) {
  use("crash-once");
  const auto found = definition(0, 5);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(shown(*found), "a.fake:1:5\n");
  EXPECT_EQ(heard_count("method", "initialize"), 2U);
}

TEST_F(FakeServerTest, AServerThatCrashesAgainAndAgainIsGivenPauses) {
  use("crash");
  const auto first = definition(0, 5);
  ASSERT_FALSE(first);
  EXPECT_EQ(*first.error().details.find("state"), Json("crashed"));
  EXPECT_NE(first.error().message.find("assertion failed"), std::string::npos) << first.error().message;
  const auto second = definition(0, 5);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().hint.find("is not started again before"), std::string::npos)
      << second.error().hint;
  EXPECT_EQ(heard_count("method", "initialize"), 2U);
}

TEST_F(FakeServerTest, AServerThatHangsIsReplaced) {
  use("hang-on-definition");
  settings_.answer_seconds = 4;  // enough for an honest answer on a busy machine
  for (int i = 0; i < 2; ++i) {
    const auto found = definition(0, 5);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kTimeout) << found.error().message;
  }
  const auto hover = questions().hover({.path = "a.fake", .symbol = "first"}, in_time());
  ASSERT_TRUE(hover) << hover.error().message;
}

TEST_F(FakeServerTest, AnAnswerWhileTheProjectIsReadIsPartial) {
  use("indexes");
  settings_.ready_seconds = 3;  // until then the server has said what it does
  const auto found = definition(0, 5);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->told.partial);
  ASSERT_FALSE(found->told.notes.empty());
  EXPECT_NE(found->told.notes.front().find("still indexing"), std::string::npos) << found->told.notes.front();
  const auto renamed = questions().rename({.path = "a.fake", .symbol = "first"}, "other", in_time());
  ASSERT_FALSE(renamed);
  EXPECT_NE(renamed.error().message.find("could miss uses"), std::string::npos);
}

TEST_F(FakeServerTest, ChangesBehindItsBackAreToldBeforeEveryQuestion) {
  use("");
  ASSERT_TRUE(definition(0, 5));
  ASSERT_TRUE(questions().references({.path = "b.fake", .symbol = "second"}, in_time()));
  write("a.fake", "\n\ndef first\n");
  write("b.fake", "def second\n");
  auto found = questions().references({.path = "b.fake", .symbol = "second"}, in_time());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(shown(*found), "b.fake:1:5\n");
  found = definition(2, 5);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(shown(*found), "a.fake:3:5\n");
  write("c.fake", "def third\n");
  std::filesystem::remove(path("b.fake"));
  ASSERT_TRUE(definition(2, 5));
  EXPECT_EQ(heard_count("fault", "opened twice"), 0U);
  EXPECT_EQ(heard_count("fault", "version"), 0U);
  std::string events;
  for (const Json& each : heard())
    if (text_member(each, "method") == "workspace/didChangeWatchedFiles")
      for (const Json& change : each.find("params")->find("changes")->as_array())
        events += concat(text_member(change, "uri").back() == 'e'
                             ? text_member(change, "uri").substr(text_member(change, "uri").rfind('/') + 1)
                             : "",
                         to_text(*change.find("type")), " ");
  EXPECT_EQ(events, "a.fake2 b.fake2 c.fake1 b.fake3 ");
}

TEST_F(FakeServerTest, DiagnosticsAreThoseOfTheTextAsItIsNow) {
  for (const std::string faults : {"", "unversioned", "late-diagnostics"}) {
    servers_.reset();
    use(faults);
    write("a.fake", "fine\nERROR one\n");
    auto found = questions().diagnostics("a.fake", in_time());
    ASSERT_TRUE(found) << faults << found.error().message;
    ASSERT_EQ(found->diagnostics.size(), 1U) << faults;
    EXPECT_EQ(found->diagnostics[0].diagnostic.message, "ERROR one: there is an error");
    EXPECT_EQ(found->diagnostics[0].diagnostic.code, "7");
    EXPECT_EQ(found->diagnostics[0].spot.text, "ERROR one");
    write("a.fake", "ERROR two\n");
    found = questions().diagnostics("a.fake", in_time());
    ASSERT_TRUE(found) << faults << found.error().message;
    ASSERT_EQ(found->diagnostics.size(), 1U) << faults;
    EXPECT_EQ(found->diagnostics[0].diagnostic.message, "ERROR two: there is an error") << faults;
    // Nothing changed: what is known still holds, and is told without a word to the server.
    const std::size_t changes = heard_count("method", "textDocument/didChange");
    ASSERT_TRUE(questions().diagnostics("a.fake", in_time()));
    EXPECT_EQ(heard_count("method", "textDocument/didChange"), changes);
  }
}

TEST_F(FakeServerTest, NewDiagnosticsAreThoseThatAnEditBrought) {
  use("");
  write("a.fake", "\nERROR old\nERROR new\n");
  const auto found = questions().new_diagnostics("a.fake", "ERROR old\n", in_time());
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->diagnostics.size(), 1U);
  EXPECT_EQ(found->diagnostics[0].diagnostic.message, "ERROR new: there is an error");
}

TEST_F(FakeServerTest, AnErrorBesideANullResultIsTheAnswer) {
  use("null-result-and-error");
  const auto hover = questions().hover({.path = "a.fake", .symbol = "first"}, in_time());
  ASSERT_FALSE(hover);
  EXPECT_NE(hover.error().message.find("no hover today"), std::string::npos) << hover.error().message;
}

TEST_F(FakeServerTest, PlacesThatDoNotExistAreRefusedWithWhatThereIs) {
  use("");
  auto found = definition(99, 0);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("There is no line 99 in a.fake, which has 4 lines, 0 to 3."),
            std::string::npos)
      << found.error().message;
  found = definition(0, 50);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("has only 9 characters: def first"), std::string::npos)
      << found.error().message;
  found = questions().definition({.path = "a.fake", .symbol = "nowhere"}, in_time());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
}

TEST_F(FakeServerTest, FilesThatMayNotBeReadAreNotShown) {
  use("");
  ASSERT_TRUE(questions().references({.path = "b.fake", .symbol = "second"}, in_time()));  // both are open
  ASSERT_TRUE(definition(0, 5));
  Questions careful(
      {.servers = servers(), .logger = logger_, .engine = engine_, .hides = [](const std::string& name) {
         return name == "b.fake";
       }});
  const auto found = careful.references({.path = "a.fake", .symbol = "first"}, in_time());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(shown(*found), "a.fake:1:5\na.fake:3:7\n");
  EXPECT_EQ(found->told.notes, std::vector<std::string>{"1 place is in files that may not be read."});
}

TEST_F(FakeServerTest, ClangdGetsOnlyArgumentsThatItsVersionKnows) {
  write("x.cc", "int x;\n");
  const auto arguments = [&](const std::string& program) {
    directory_.write(program, "#!/bin/sh\necho \"$@\" > \"$0.args\"\n");
    std::filesystem::permissions(directory_.at(program), std::filesystem::perms::owner_all);
    settings_.servers["clangd"].command = directory_.at(program);
    servers_.reset();
    static_cast<void>(questions().definition({.path = "x.cc", .position = Position{0, 4}}, in_time()));
    return directory_.read(program + ".args");
  };
  constexpr std::string_view kNewer = "--background-index-priority=normal";
  EXPECT_TRUE(arguments("llvm-19/bin/clangd").contains(kNewer));
  EXPECT_TRUE(arguments("bin/clangd-15").contains(kNewer));
  for (const char* other : {"llvm-14/bin/clangd", "bin/clangd"}) {
    const std::string given = arguments(other);
    EXPECT_TRUE(given.contains("--background-index")) << given;
    EXPECT_FALSE(given.contains(kNewer)) << given;
  }
}

TEST_F(FakeServerTest, SaysWhatToInstall) {
  settings_.servers["fake"] = {.command = "no-such-program-anywhere",
                               .files = std::vector<std::string>{"*.fake"},
                               .install = "get fake-server"};
  const auto found = definition(0, 5);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(found.error().message.find("no-such-program-anywhere was looked for"), std::string::npos)
      << found.error().message;
  EXPECT_EQ(*found.error().details.find("install"), Json("get fake-server"));
  const auto other = questions().diagnostics("x.unknown", in_time());
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace helve::lsp
