#include "cli/doctor_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "core/testing.h"

namespace helve::cli {
namespace {

using State = Finding::State;

class DoctorDiskTest : public ::testing::Test {
 protected:
  std::vector<Finding> look() { return check_disk(places_, settings_); }
  // The finding that begins with this text.
  Finding finding(std::string_view beginning) {
    for (Finding& each : look())
      if (each.what.starts_with(beginning)) return each;
    return {State::kBad, "none", concat("nothing begins with ", beginning)};
  }

  TestDirectory directory_;
  core::StatePlaces places_{.state_directory = directory_.at("state"),
                            .data_directory = directory_.at("data")};
  Settings settings_;
};

TEST_F(DoctorDiskTest, ThereIsNothingToSayAboutNothing) { EXPECT_TRUE(look().empty()); }

TEST_F(DoctorDiskTest, SaysForEveryPartHowMuchThereIsAndWhatHappensWhenItIsMore) {
  directory_.write("state/audit.jsonl", "12345");
  directory_.write("state/audit-000003.jsonl", "12345");
  directory_.write("state/history/one/log", "123");
  directory_.write("state/history/two/blobs/1", "123");
  directory_.write("state/sessions/ses_1/output/a.txt", "1234567");
  directory_.write("state/code/1.symbols", "1");
  directory_.write("state/mcp/tools/a.json", "22");
  directory_.write("data/store/helve.db", "1");
  directory_.write("data/store/helve.db-wal", "1");
  directory_.write("data/store/backups/before.db", "1");
  EXPECT_EQ(finding("audit").what,
            "audit: 10 B in 2 files; at most 1.0 GB (audit.keep_megabytes), then the oldest part is removed");
  EXPECT_EQ(finding("history").what,
            "history: 6 B of 2 workspaces; for each workspace at most 1.0 GB and 90 days "
            "(history.keep_megabytes, history.keep_days), then the oldest changes are removed");
  EXPECT_EQ(
      finding("long results").what,
      "long results: 7 B in 1 file; at most 1.0 GB and 7 days (results.keep_megabytes, results.keep_days), "
      "then those of the oldest sessions are removed");
  EXPECT_EQ(finding("caches").what,
            "caches: 3 B in 2 files; at most 1.0 GB and 90 days unused (caches.keep_megabytes, "
            "caches.keep_days), then those unused for longest are removed");
  EXPECT_EQ(finding("store").what,
            "store: 2 B in 2 files; snippets until you delete them; 1,000 agent sessions "
            "(agent.keep_sessions), then the oldest are removed");
  EXPECT_EQ(finding("backups").what, "backups: 1 B in 1 file; of the store; until you delete them");
  for (const Finding& each : look()) EXPECT_EQ(each.state, State::kGood) << each.what;
}

TEST_F(DoctorDiskTest, WarnsOfWhatIsBeyondItsLimit) {
  settings_.results.keep_megabytes = 1;
  settings_.history.keep_megabytes = 1;
  directory_.write("state/sessions/a/output/1.txt", std::string(1'100'000, 'x'));
  directory_.write("state/history/a/log", std::string(1'100'000, 'x'));
  EXPECT_EQ(finding("long results").state, State::kGood) << "a small excess is not a warning";
  directory_.write("state/sessions/a/output/2.txt", std::string(1'100'000, 'x'));
  EXPECT_EQ(finding("long results").state, State::kWarning);
  EXPECT_FALSE(finding("long results").remedy.empty());
  directory_.write("state/history/b/log", std::string(1'100'000, 'x'));
  EXPECT_EQ(finding("history").state, State::kGood) << "the limit is for each workspace";
  directory_.write("state/history/b/more", std::string(1'100'000, 'x'));
  EXPECT_EQ(finding("history").state, State::kWarning);
}

TEST_F(DoctorDiskTest, NamesWhatNobodyLooksAfter) {
  directory_.write("state/serve-token", "x");
  directory_.write("state/trust.json", "{}");
  directory_.write("state/trusted-folders.json", "[]");  // of version 0.1
  EXPECT_EQ(look().size(), 1U);
  EXPECT_THAT(finding("the rest").what, ::testing::StartsWith("the rest: 5 B in 3 files"));
  directory_.write("state/surprise/file", "123");
  const Finding unknown = finding("unknown");
  EXPECT_EQ(unknown.state, State::kWarning);
  EXPECT_EQ(unknown.what, concat("unknown: 3 B in surprise of ", places_.state_directory));
}

// Every file that a session leaves behind is in a part that has a limit.
class DoctorDiskRuntimeTest : public testing::RuntimeFixture {
 protected:
  DoctorDiskRuntimeTest() : RuntimeFixture(true) {}
};

TEST_F(DoctorDiskRuntimeTest, KnowsEverythingThatARuntimeWrites) {
  directory_.write("workspace/a.py", "def answer():\n    return 42\n");
  const auto call = [&](std::string tool, JsonObject arguments) {
    const Answer answer = runtime().call({.tool = std::move(tool), .arguments = std::move(arguments)});
    EXPECT_TRUE(answer.ok()) << answer.result.error().message;
  };
  call("edit", {{"path", "a.py"}, {"oldText", "42"}, {"newText", "43"}});
  call("exec", {{"command", "seq 30000"}});
  call("code_query", {{"query", "answer"}});
  call("snippet_save", {{"name", "s"}, {"code", "x"}});
  const auto findings = check_disk(
      {.state_directory = options_.state_directory, .data_directory = options_.data_directory}, Settings());
  EXPECT_GE(findings.size(), 4U);
  for (const Finding& each : findings) EXPECT_EQ(each.state, State::kGood) << each.what;
}

}  // namespace
}  // namespace helve::cli
