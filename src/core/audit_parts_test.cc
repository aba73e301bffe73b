#include "core/audit_parts.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/file_io.h"
#include "base/strings.h"
#include "core/audit.h"
#include "core/testing.h"

namespace helve::core {
namespace {

constexpr std::uint64_t kMuch = 1 << 20;

class AuditPartsTest : public ::testing::Test {
 protected:
  // Records of about two hundred bytes, in files of `keep_bytes` / 8.
  void write_records(int count, std::uint64_t keep_bytes) {
    Audit audit({.path = path_, .keep_bytes = keep_bytes});
    for (int i = 0; i < count; ++i) ASSERT_TRUE(audit.append(concat(R"({"number":)", i, "}")));
  }
  // The numbers in all files, in their order.
  std::vector<std::string> numbers() {
    std::vector<std::string> found;
    auto files = older_audit_parts(path_);
    files.push_back({.path = path_});
    for (const AuditPart& file : files) {
      const std::string text = read_file(file.path).value();
      for (const std::string_view line : split(text, '\n'))
        if (const std::size_t at = line.find("\"number\":"); at != std::string_view::npos)
          found.emplace_back(line.substr(at + 9, line.find(',', at) - at - 9));
    }
    return found;
  }

  TestDirectory directory_;
  std::string path_ = directory_.at("state/audit.jsonl");
};

TEST_F(AuditPartsTest, AFullFileIsKeptBesideTheNextWhichGoesOnFromIt) {
  write_records(10, kMuch);
  EXPECT_TRUE(older_audit_parts(path_).empty());
  Audit audit({.path = path_, .keep_bytes = 40'000});
  for (int i = 10; i < 200; ++i) ASSERT_TRUE(audit.append(concat(R"({"number":)", i, "}")));
  const auto parts = older_audit_parts(path_);
  ASSERT_GE(parts.size(), 2U);
  EXPECT_EQ(parts.front().path, directory_.at("state/audit-000001.jsonl"));
  struct stat status{};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(status.st_nlink, 1U);
  EXPECT_EQ(numbers().size(), 200U);
  const auto report = verify_audit(path_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->files, parts.size() + 1);
  EXPECT_EQ(report->records, 200U + parts.size())
      << "every file but the first begins with a record of its own";
  EXPECT_FALSE(report->begins_later);
}

TEST_F(AuditPartsTest, TheOldestFilesAreRemovedAndTheRestIsStillSound) {
  constexpr std::uint64_t kKeep = 16'000;
  write_records(500, kKeep);
  std::uint64_t bytes = std::filesystem::file_size(path_);
  for (const AuditPart& part : older_audit_parts(path_)) bytes += part.bytes;
  EXPECT_LE(bytes, kKeep + kKeep / 8);
  EXPECT_GT(bytes, kKeep / 2);
  EXPECT_GT(older_audit_parts(path_).front().number, 1U);
  EXPECT_EQ(numbers().back(), "499");
  const auto report = verify_audit(path_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->begins_later);
}

TEST_F(AuditPartsTest, TwoThatWriteFollowEachOtherIntoTheNextFile) {
  Audit one({.path = path_, .keep_bytes = kMuch / 100});
  Audit other({.path = path_, .keep_bytes = kMuch / 100});
  for (int i = 0; i < 40; ++i) {
    Audit& audit = i % 3 == 0 ? one : other;
    ASSERT_TRUE(audit.append(concat(R"({"number":)", i, "}")));
  }
  EXPECT_GE(older_audit_parts(path_).size(), 2U);
  const auto all = numbers();
  ASSERT_EQ(all.size(), 40U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], std::to_string(i));
  EXPECT_TRUE(verify_audit(path_));
}

TEST_F(AuditPartsTest, ManyProcessesLoseNothing) {
  constexpr int kProcesses = 6;
  constexpr int kEach = 60;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      write_records(kEach, 96'000);
      ::_exit(HasFailure() ? 1 : 0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(numbers().size(), static_cast<std::size_t>(kProcesses * kEach));
  EXPECT_GE(older_audit_parts(path_).size(), 2U);
  const auto report = verify_audit(path_);
  EXPECT_TRUE(report) << report.error().message;
}

TEST_F(AuditPartsTest, WhatWasDoneToAnOlderFileIsNoticed) {
  write_records(300, 80'000);
  const auto parts = older_audit_parts(path_);
  ASSERT_GE(parts.size(), 3U);
  const std::string good = read_file(parts[1].path).value();
  std::string bad = good;
  const std::size_t at = bad.find("\"number\":", bad.size() / 2) + 9;
  bad[at] = bad[at] == '9' ? '8' : '9';
  std::ofstream(parts[1].path, std::ios::binary | std::ios::trunc) << bad;
  const auto changed = verify_audit(path_);
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(changed.error().message.starts_with(concat(parts[1].path, ", line ")))
      << changed.error().message;

  std::filesystem::remove(parts[1].path);
  const auto missing = verify_audit(path_);
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().message.starts_with(concat(parts[2].path, ", line 1: it does not follow")))
      << missing.error().message;
  std::ofstream(parts[1].path, std::ios::binary) << good;
  EXPECT_TRUE(verify_audit(path_));
}

TEST_F(AuditPartsTest, ACrashBetweenTheTwoNamesChangesNothing) {
  write_records(3, kMuch);
  // As begin_audit_part leaves it when it is killed in the middle.
  ASSERT_EQ(::link(path_.c_str(), directory_.at("state/audit-000001.jsonl").c_str()), 0);
  EXPECT_TRUE(older_audit_parts(path_).empty());
  EXPECT_EQ(verify_audit(path_)->records, 3U);
  write_records(100, 40'000);
  EXPECT_EQ(numbers().size(), 103U);
  const auto report = verify_audit(path_);
  EXPECT_TRUE(report) << report.error().message;
}

TEST_F(AuditPartsTest, ARemovedFileIsBegunAnew) {
  Audit audit({.path = path_});
  ASSERT_TRUE(audit.append(R"({"number":1})"));
  std::filesystem::remove(path_);
  ASSERT_TRUE(audit.append(R"({"number":2})"));
  EXPECT_EQ(numbers(), std::vector<std::string>{"2"});
}

}  // namespace
}  // namespace helve::core
