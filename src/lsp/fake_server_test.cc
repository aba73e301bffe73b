// Tests the client with a fake server that has every fault seen in real servers.
#include <gmock/gmock.h>
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
  void use(const std::string& faults) { use_fake(faults); }
  Expected<FoundPlaces> definition(std::size_t line, std::size_t character,
                                   milliseconds time = milliseconds(60'000)) {
    return questions().definition({.path = "a.fake", .position = Position{line, character}}, in_time(time));
  }
};

TEST_F(FakeServerTest, FindsDefinitionsByPositionAndByName) {
  use("");
  auto found = definition(2, 7);  // after an emoji, which counts as two, and a Han character
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(shown(*found), "a.fake:1:5\n");
  EXPECT_EQ(found->spots.front().text, "def first");
  EXPECT_FALSE(found->info.partial);
  found = questions().definition({.path = "a.fake", .symbol = "second"}, in_time());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(shown(*found), "b.fake:1:5\n");
}

TEST_F(FakeServerTest, CountsADeclarationAndItsDefinitionAsOne) {
  write("c.fake", "def third\n");
  write("d.fake", "def third\n");
  const Target target{.path = "a.fake", .symbol = "third"};
  const auto notes = [&] {
    const auto found = questions().definition(target, in_time());
    return found ? join(found->info.notes, "\n") : found.error().message;
  };
  // Like clangd without an index: it does not know uses in other files, but it knows declarations.
  use("no-uses-elsewhere");
  EXPECT_TRUE(notes().contains("third has 2 definitions")) << notes();
  servers_.reset();
  use("no-uses-elsewhere,declares");
  EXPECT_EQ(notes(), "");
  const auto renamed = questions().rename(target, "fourth", Questions::AtUnconfirmed::kRefuse, in_time());
  ASSERT_FALSE(renamed) << "the uses that it does not know of would keep their name";
  EXPECT_TRUE(renamed.error().message.contains("third has 2 definitions")) << renamed.error().message;
}

TEST_F(FakeServerTest, AnswersTheServersRequests) {
  use("needs-configuration");
  settings_.servers["fake"].settings = Json(JsonObject{{"fake", JsonObject{{"deep", 42}}}});
  ASSERT_TRUE(definition(0, 5));
  servers_.reset();  // all messages were exchanged by then
  std::string answers;
  for (const Json& each : received())
    if (text_in(each, "method").empty() && each.find("id") != nullptr)
      answers += concat(to_text(*each.find("result")), " ", to_text(*each.find("error")), "\n");
  EXPECT_TRUE(answers.starts_with("[42,null] null\nnull null\n[{\"uri\":\"file://")) << answers;
  EXPECT_THAT(answers, ::testing::HasSubstr("null null\n{\"applied\":false"));
  EXPECT_THAT(answers, ::testing::HasSubstr("null {\"code\":-32601"));
  // Null parameters are omitted: TypeScript 7 rejects them.
  for (const Json& each : received())
    if (text_in(each, "method") == "shutdown") {
      EXPECT_EQ(*each.find("has_params"), Json(false));
    }
  EXPECT_EQ(received_count("method", "exit"), 1U);
}

TEST_F(FakeServerTest, DoesNotTakeARequestWithTheSameIdForAReply) {
  use("same-id,noise");
  const auto found = definition(0, 5);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(shown(*found), "a.fake:1:5\n");
}

TEST_F(FakeServerTest, DropsLateRepliesOfCancelledRequests) {
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

TEST_F(FakeServerTest, ReturnsAtOnceWhenCancelled) {
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

TEST_F(FakeServerTest, ReportsAServerThatNeverAnswersAsUnavailable) {
  use("silent");
  settings_.start_seconds = 1;
  const auto found = definition(0, 5);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(found.error().message, ::testing::HasSubstr("did not answer initialize within 1 second"));
  EXPECT_EQ(*found.error().details.find("state"), Json("unavailable"));
}

TEST_F(FakeServerTest, ShowsTheOutputOfAServerThatExitsAtOnce) {
  use("exit-at-start");
  const auto found = definition(0, 5);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, ::testing::HasSubstr("cannot find my library"));
  // It is not started again for every query.
  const auto again = definition(0, 5);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().hint, ::testing::HasSubstr("It ended 1 time recently"));
}

TEST_F(FakeServerTest, RetriesAfterOneCrash) {
  use("crash-once");
  const auto found = definition(0, 5);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(shown(*found), "a.fake:1:5\n");
  EXPECT_EQ(received_count("method", "initialize"), 2U);
}

TEST_F(FakeServerTest, PausesBeforeRestartingAServerThatKeepsCrashing) {
  use("crash");
  const auto first = definition(0, 5);
  ASSERT_FALSE(first);
  EXPECT_EQ(*first.error().details.find("state"), Json("crashed"));
  EXPECT_THAT(first.error().message, ::testing::HasSubstr("assertion failed"));
  const auto second = definition(0, 5);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().hint, ::testing::HasSubstr("can restart in"));
  EXPECT_EQ(received_count("method", "initialize"), 2U);
}

TEST_F(FakeServerTest, ReplacesAServerThatHangs) {
  use("hang-on-definition");
  settings_.answer_seconds = 1;
  for (int i = 0; i < 2; ++i) {
    const auto found = definition(0, 5);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kTimeout) << found.error().message;
  }
  settings_.answer_seconds = 20;
  const auto hover = questions().hover({.path = "a.fake", .symbol = "first"}, in_time());
  ASSERT_TRUE(hover) << hover.error().message;
}

TEST_F(FakeServerTest, MarksAnswersWhileIndexingAsPartial) {
  use("indexes");
  settings_.ready_seconds = 1;
  ASSERT_TRUE(servers().server_for(path("a.fake"), in_time()));
  // Its next message reports the work.
  while (received_count("method", "initialized") == 0) std::this_thread::sleep_for(milliseconds(5));
  const auto found = definition(0, 5);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->info.partial);
  ASSERT_FALSE(found->info.notes.empty());
  EXPECT_THAT(found->info.notes.front(), ::testing::HasSubstr("still indexing"));
  const auto renamed = questions().rename({.path = "a.fake", .symbol = "first"}, "other",
                                          Questions::AtUnconfirmed::kRefuse, in_time());
  ASSERT_FALSE(renamed);
  EXPECT_THAT(renamed.error().message, ::testing::HasSubstr("could miss uses"));
}

TEST_F(FakeServerTest, SendsChangesOnDiskBeforeEveryRequest) {
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
  EXPECT_EQ(received_count("fault", "opened twice"), 0U);
  EXPECT_EQ(received_count("fault", "version"), 0U);
  std::string events;
  for (const Json& each : received())
    if (text_in(each, "method") == "workspace/didChangeWatchedFiles")
      for (const Json& change : each.find("params")->find("changes")->as_array())
        events += concat(text_in(change, "uri").back() == 'e'
                             ? text_in(change, "uri").substr(text_in(change, "uri").rfind('/') + 1)
                             : "",
                         to_text(*change.find("type")), " ");
  EXPECT_EQ(events, "a.fake2 b.fake2 c.fake1 b.fake3 ");
}

TEST_F(FakeServerTest, ReturnsDiagnosticsOfTheCurrentText) {
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
    // Nothing changed: the known diagnostics are returned without a request.
    const std::size_t changes = received_count("method", "textDocument/didChange");
    ASSERT_TRUE(questions().diagnostics("a.fake", in_time()));
    EXPECT_EQ(received_count("method", "textDocument/didChange"), changes);
  }
}

TEST_F(FakeServerTest, ReturnsOnlyTheDiagnosticsThatAnEditAdded) {
  use("");
  write("a.fake", "\nERROR old\nERROR new\n");
  const auto found = questions().new_diagnostics("a.fake", "ERROR old\n", in_time());
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->diagnostics.size(), 1U);
  EXPECT_EQ(found->diagnostics[0].diagnostic.message, "ERROR new: there is an error");
}

TEST_F(FakeServerTest, TreatsAnErrorBesideANullResultAsTheReply) {
  use("null-result-and-error");
  const auto hover = questions().hover({.path = "a.fake", .symbol = "first"}, in_time());
  ASSERT_FALSE(hover);
  EXPECT_THAT(hover.error().message, ::testing::HasSubstr("no hover today"));
}

TEST_F(FakeServerTest, RefusesPositionsOutsideTheFile) {
  use("");
  auto found = definition(99, 0);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message,
              ::testing::HasSubstr("Line 99 does not exist in a.fake, which has lines 0 to 3."));
  found = definition(0, 50);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, ::testing::HasSubstr("has only 9 characters: def first"));
  found = questions().definition({.path = "a.fake", .symbol = "nowhere"}, in_time());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
}

TEST_F(FakeServerTest, DoesNotShowHiddenFiles) {
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
  EXPECT_EQ(found->info.notes, std::vector<std::string>{"1 place is in files that permission rules hide."});
}

TEST_F(FakeServerTest, PassesClangdOnlyArgumentsOfItsVersion) {
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

TEST_F(FakeServerTest, SuggestsWhatToInstall) {
  settings_.servers["fake"] = {.command = "no-such-program-anywhere",
                               .files = std::vector<std::string>{"*.fake"},
                               .install = "get fake-server"};
  const auto found = definition(0, 5);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(found.error().message, ::testing::HasSubstr("Looked for no-such-program-anywhere"));
  EXPECT_EQ(*found.error().details.find("install"), Json("get fake-server"));
  const auto other = questions().diagnostics("x.unknown", in_time());
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace helve::lsp
