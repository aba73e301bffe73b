#include "core/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "base/json_parse.h"
#include "core/testing.h"

namespace helve::core {
namespace {

class AuditTest : public ::testing::Test {
 protected:
  void write_records(int count) {
    Audit audit({.path = path_});
    for (int i = 0; i < count; ++i)
      ASSERT_TRUE(audit.append(to_text(JsonObject{{"kind", "intent"}, {"number", i}})));
  }
  static std::string numbered(std::size_t number) { return to_text(JsonObject{{"number", number}}); }
  std::string text() { return read_file(path_).value(); }
  void replace(const std::string& text) { std::ofstream(path_, std::ios::binary | std::ios::trunc) << text; }
  // A crash before the end of a record: the head is that of the record before.
  void forget_head() { ::unlink(audit_head_path(path_).c_str()); }

  TestDirectory directory_;
  std::string path_ = directory_.at("state/audit.jsonl");
};

TEST_F(AuditTest, ChainsRecordsAndVerifies) {
  write_records(3);
  write_records(2);  // another process goes on where the first one ended
  const auto report = verify_audit(path_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->records, 5U);
  EXPECT_EQ(report->torn_lines, 0U);
}

TEST_F(AuditTest, IsReadableByTheUserAlone) {
  write_records(1);
  struct stat status{};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  ASSERT_EQ(::stat(directory_.at("state").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST_F(AuditTest, NoticesChangedRemovedAddedAndMovedRecords) {
  write_records(4);
  const std::string good = text();
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < good.size();) {
    const std::size_t end = good.find('\n', at) + 1;
    lines.push_back(good.substr(at, end - at));
    at = end;
  }
  std::string changed = good;
  changed[changed.find("\"number\":2") + 9] = '7';
  const std::vector<std::pair<std::string, std::string>> forgeries{
      {"changed", changed},
      {"removed", lines[0] + lines[2] + lines[3]},
      {"first removed", lines[1] + lines[2] + lines[3]},
      {"repeated", lines[0] + lines[0] + lines[1] + lines[2] + lines[3]},
      {"swapped", lines[0] + lines[2] + lines[1] + lines[3]},
      {"foreign line", lines[0] + "{\"kind\":\"x\"}\n" + lines[1]},
  };
  for (const auto& [name, forged] : forgeries) {
    replace(forged);
    const auto report = verify_audit(path_);
    ASSERT_FALSE(report) << name;
    EXPECT_EQ(report.error().code, ErrorCode::kConflict) << name;
  }
}

TEST_F(AuditTest, NoCutEndIsSound) {
  write_records(4);
  const std::string good = text();
  const std::size_t cut = good.rfind('\n', good.size() - 2) + 1;
  replace(good.substr(0, cut));
  const auto cut_off = verify_audit(path_);
  ASSERT_FALSE(cut_off);
  EXPECT_EQ(cut_off.error().code, ErrorCode::kConflict);
  EXPECT_THAT(cut_off.error().message, ::testing::HasSubstr("its end was cut, or all of it was replaced"));
  // Further records do not make it good.
  write_records(1);
  const auto later = verify_audit(path_);
  ASSERT_FALSE(later);
  EXPECT_THAT(later.error().message, ::testing::HasSubstr("records before it were removed"));
}

TEST_F(AuditTest, NoReplacedAuditIsSound) {
  write_records(2);
  const std::string other = directory_.at("other/audit.jsonl");
  {
    Audit audit({.path = other});
    ASSERT_TRUE(audit.append(R"({"kind":"intent"})"));
  }
  replace(read_file(other).value());
  EXPECT_FALSE(verify_audit(path_));
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  const auto missing = verify_audit(path_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kConflict) << "it is not a new installation";
  write_records(1);
  EXPECT_FALSE(verify_audit(path_));
}

TEST_F(AuditTest, WhatAPowerFailureTookIsReportedButNotHeldAgainstTheRest) {
  write_records(2);
  const std::string before = text();
  write_records(1);
  replace(before);
  std::string head = read_file(audit_head_path(path_)).value();
  std::ofstream(audit_head_path(path_)) << head.substr(0, 64) << " another-boot\n";
  const auto report = verify_audit(path_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->lost_in_crash, head.substr(0, 64));
  write_records(1);
  EXPECT_TRUE(verify_audit(path_));
}

TEST_F(AuditTest, GoesOnAfterACrashInTheMiddleOfALine) {
  write_records(2);
  const std::string good = text();
  replace(good.substr(0, good.size() - 40));
  forget_head();
  EXPECT_EQ(verify_audit(path_)->torn_lines, 1U);
  write_records(2);
  const auto report = verify_audit(path_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->records, 3U);
  EXPECT_EQ(report->torn_lines, 1U);
}

TEST_F(AuditTest, GoesOnAfterACrashAtAnyByteOfTheLastLine) {
  write_records(3);
  const std::string good = text();
  const std::size_t last_line = good.rfind('\n', good.size() - 2) + 1;
  for (std::size_t cut = last_line; cut < good.size(); ++cut) {
    replace(good.substr(0, cut));
    forget_head();
    write_records(1);
    const auto report = verify_audit(path_);
    ASSERT_TRUE(report) << "cut at " << cut << ": " << report.error().message;
    EXPECT_EQ(report->records, cut + 1 == good.size() ? 4U : 3U) << cut;
  }
}

TEST_F(AuditTest, FindsTheLastRecordHoweverLongItIs) {
  Audit first({.path = path_});
  ASSERT_TRUE(first.append(to_text(JsonObject{{"long", std::string(3 << 20, 'x')}})));
  write_records(1);
  const auto report = verify_audit(path_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->records, 2U);
}

TEST_F(AuditTest, AStreamOfRecordsIsWrittenInOrderAndBeforeTheOneThatMayNotWait) {
  Audit audit({.path = path_});
  for (std::size_t i = 0; i < 5000; ++i) ASSERT_TRUE(audit.append_soon(numbered(i)));
  ASSERT_TRUE(audit.append(numbered(5000)));
  std::istringstream lines(text());
  int number = 0;
  for (std::string line; std::getline(lines, line); ++number)
    ASSERT_EQ(*parse_json(line).value().find("number"), Json(number));
  EXPECT_EQ(number, 5001);
  EXPECT_EQ(verify_audit(path_).value().records, 5001U);
}

TEST_F(AuditTest, AStreamThatStopsIsWrittenToItsEnd) {
  Audit audit({.path = path_});
  for (std::size_t i = 0; i < 100; ++i) ASSERT_TRUE(audit.append_soon(numbered(i)));
  for (int tries = 0; tries < 1000 && !text().contains(R"("number":99)"); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(verify_audit(path_).value().records, 100U);
}

TEST_F(AuditTest, NothingIsLeftUnwrittenAtTheEnd) {
  {
    Audit audit({.path = path_});
    for (std::size_t i = 0; i < 100; ++i) ASSERT_TRUE(audit.append_soon(numbered(i)));
  }
  EXPECT_EQ(verify_audit(path_).value().records, 100U);
}

TEST_F(AuditTest, FewRecordsAndThoseOfASyncedFileAreWrittenAtOnce) {
  {
    Audit audit({.path = path_});
    for (std::size_t i = 0; i < 4; ++i) ASSERT_TRUE(audit.append_soon(numbered(i)));
    EXPECT_EQ(verify_audit(path_).value().records, 4U);
  }
  Audit synced({.path = path_, .sync = true});
  for (std::size_t i = 5; i < 40; ++i) {
    ASSERT_TRUE(synced.append_soon(numbered(i)));
    ASSERT_EQ(verify_audit(path_).value().records, i);
  }
}

TEST_F(AuditTest, StreamsOfSeveralKeepOneChain) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this] {
      Audit audit({.path = path_});
      for (std::size_t i = 0; i < 300; ++i)
        EXPECT_TRUE(i % 7 == 0 ? audit.append(numbered(i)) : audit.append_soon(numbered(i)));
    });
  threads.clear();
  EXPECT_EQ(verify_audit(path_).value().records, 1200U);
}

TEST_F(AuditTest, AStreamThatCannotBeWrittenSaysSoLater) {
  Audit audit({.path = directory_.path()});  // a directory
  bool failed = false;
  for (std::size_t i = 0; i < 1000 && !failed; ++i) failed = !audit.append_soon(numbered(i));
  EXPECT_TRUE(failed);
}

TEST_F(AuditTest, SeveralProcessesAndThreadsKeepOneChain) {
  constexpr int kProcesses = 4;
  constexpr int kRecords = 100;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Audit audit({.path = path_});
      bool good = true;
      for (int i = 0; i < kRecords; ++i)
        good = audit.append(to_text(JsonObject{{"process", p}, {"number", i}})).has_value() && good;
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  Audit audit({.path = path_});
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kRecords; ++i) EXPECT_TRUE(audit.append(numbered(i)));
    });
  threads.clear();
  const auto report = verify_audit(path_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->records, std::size_t{2} * 4 * kRecords);
}

class AuditedRuntimeTest : public testing::RuntimeFixture {};

TEST_F(AuditedRuntimeTest, RecordsTheIntentBeforeAndTheResultAfterWithoutSecrets) {
  std::string seen_while_running;
  ToolDefinition definition{.name = "login", .description = "For tests.", .effect = Effect::kExecute};
  definition.params.open = true;
  const std::string path = directory_.at("state/audit.jsonl");
  ASSERT_TRUE(runtime().add(make_tool(definition, [&](Context&, const Json&) -> Result {
    seen_while_running = read_file(path).value();
    return Output{.summary = "logged in with ghp_0123456789abcdefghijABCDEFGHIJ"};
  })));
  const std::string long_text(5000, 'x');
  ASSERT_TRUE(
      runtime()
          .call({.tool = "login",
                 .arguments = JsonObject{{"password", "hunter2"},
                                         {"text", long_text},
                                         {"command",
                                          "curl -H 'Authorization: Bearer abcdef123' https://me:pw@host/ && "
                                          "API_KEY=sesame ./run --token s3cr3t"}}})
          .ok());
  EXPECT_THAT(seen_while_running, ::testing::HasSubstr("\"kind\":\"intent\""));
  const std::string all = read_file(path).value();
  EXPECT_THAT(all, ::testing::HasSubstr("\"kind\":\"result\""));
  for (const char* secret : {"hunter2", "abcdef123", "sesame", "s3cr3t", "me:pw", "ghp_0123", "xxxxxxxxxx"})
    EXPECT_THAT(all, ::testing::Not(::testing::HasSubstr(secret))) << secret;
  EXPECT_THAT(all, ::testing::HasSubstr("5,000 characters"));
  EXPECT_TRUE(verify_audit(path));
}

TEST_F(AuditedRuntimeTest, AnAuditThatCannotBeWrittenStopsChangesButNotReading) {
  options_.settings.log.level = LogLevel::kError;
  std::ofstream(directory_.at("state")) << "in the way";
  for (const auto& [name, effect] : {std::pair("look", Effect::kRead), std::pair("change", Effect::kWrite)})
    ASSERT_TRUE(
        runtime().add(make_tool(ToolDefinition{.name = name, .description = "For tests.", .effect = effect},
                                [](Context&, const Json&) { return Output{.summary = "done"}; })));
  EXPECT_TRUE(runtime().call({.tool = "look"}).ok());
  EXPECT_EQ(runtime().call({.tool = "change"}).result.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace helve::core
