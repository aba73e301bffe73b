#include "cli/snippet_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_directory.h"

namespace helve::cli {
namespace {

class SnippetFilesTest : public ::testing::Test {
 protected:
  TestDirectory directory_;
};

std::string name_for(const std::string& name, const std::string& language) {
  return file_name_for({.name = name, .language = language});
}

TEST_F(SnippetFilesTest, FileNamesStayInTheirDirectoryAndFitTheLanguage) {
  EXPECT_EQ(name_for("retry", "python"), "retry.py");
  EXPECT_EQ(name_for("retry.py", "python"), "retry.py");
  EXPECT_EQ(name_for("retry.py", "lua"), "retry.py.lua");
  EXPECT_EQ(name_for("../../etc/passwd", ""), "_._.._etc_passwd.txt");
  EXPECT_EQ(name_for(".bashrc", "bash"), "_bashrc.sh");
  EXPECT_EQ(name_for("-rf", ""), "_rf.txt");
  EXPECT_EQ(name_for("名前", "rust"), "名前.rs");
  EXPECT_LE(name_for(std::string(500, 'x'), "c").size(), 110U);
}

TEST_F(SnippetFilesTest, WhatIsExportedCanBeImported) {
  const std::vector<store::Snippet> snippets{
      {.name = "a/b", .code = "x\r\n\xC3\xBC", .description = "d", .language = "python", .tags = {"t", "u"}},
      {.name = "A:b", .code = "other", .language = "python"}};
  const std::string target = directory_.at("new/dir");
  const auto files = export_files(target, snippets, /*with_list=*/true, /*force=*/false).value();
  EXPECT_EQ(directory_.names("new/dir"), (std::vector<std::string>{"A_b-2.py", "a_b.py", "snippets.json"}));
  EXPECT_EQ(directory_.read("new/dir/a_b.py"), snippets[0].code);
  const auto drafts = import_file(target).value();
  ASSERT_EQ(drafts.size(), 2U);
  EXPECT_EQ(drafts[0].name, "a/b");
  EXPECT_EQ(drafts[0].code, snippets[0].code);
  EXPECT_EQ(drafts[0].tags, snippets[0].tags);
  EXPECT_EQ(drafts[1].code, "other");
}

TEST_F(SnippetFilesTest, NothingIsOverwrittenUnlessThatIsWanted) {
  directory_.write("a.txt", "mine");
  const std::vector<store::Snippet> snippets{{.name = "b", .code = "1"}, {.name = "a", .code = "2"}};
  EXPECT_EQ(export_files(directory_.path(), snippets, false, false).error().code, ErrorCode::kConflict);
  EXPECT_FALSE(directory_.exists("b.txt"));
  EXPECT_EQ(directory_.read("a.txt"), "mine");
  ASSERT_TRUE(export_files(directory_.path(), snippets, false, true));
  EXPECT_EQ(directory_.read("a.txt"), "2");
}

TEST_F(SnippetFilesTest, AFileIsASnippetOfItsName) {
  directory_.write("retry.py", "pass\n");
  const auto drafts = import_file(directory_.at("retry.py")).value();
  EXPECT_EQ(drafts.front().name, "retry");
  EXPECT_EQ(drafts.front().language, "python");
  directory_.write("data.json", "{\"a\": 1}");
  EXPECT_EQ(import_file(directory_.at("data.json"))->front().code, "{\"a\": 1}");
}

TEST_F(SnippetFilesTest, ListsCannotReachOtherFiles) {
  directory_.write("secret", "hidden");
  directory_.write("in/snippets.json", R"({"snippets": [{"name": "a", "file": "../secret"}]})");
  EXPECT_EQ(import_file(directory_.at("in")).error().code, ErrorCode::kInvalidArgument);
  directory_.write("in/snippets.json", R"({"snippets": [{"nam": "a"}]})");
  EXPECT_THAT(import_file(directory_.at("in")).error().message,
              ::testing::HasSubstr("is not a list of snippets"));
  EXPECT_EQ(import_file(directory_.at("nothing")).error().code, ErrorCode::kNotFound);
  directory_.make("empty");
  EXPECT_THAT(import_file(directory_.at("empty")).error().message,
              ::testing::HasSubstr("has no snippets.json"));
  directory_.write("binary.c", "\xFF\xFE");
  EXPECT_THAT(import_file(directory_.at("binary.c")).error().message,
              ::testing::HasSubstr("is not valid UTF-8"));
}

}  // namespace
}  // namespace helve::cli
