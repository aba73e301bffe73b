// Line endings of new files, through the tools that create them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "helve/settings/edit.h"
#include "tools/testing.h"

namespace helve {
namespace {

class NewFileEndingsTest : public testing::ToolTest {
 protected:
  // The bytes of a new file of two lines.
  std::string written(const std::string& path) {
    const Answer answer = call("write", {{"path", path}, {"content", "a\nb\n"}});
    if (!answer.ok()) ADD_FAILURE() << answer.result.error().message;
    return get(path);
  }
  static constexpr std::string_view kLf = "a\nb\n";
  static constexpr std::string_view kCrLf = "a\r\nb\r\n";
};

TEST_F(NewFileEndingsTest, AreLfUnlessTheSettingSaysOtherwise) { EXPECT_EQ(written("a.txt"), kLf); }

TEST_F(NewFileEndingsTest, FollowTheSetting) {
  options_.settings.edit.line_endings = NewLineEndings::kCrLf;
  const Answer answer = call("write", {{"path", "a.txt"}, {"content", "a\nb"}});
  EXPECT_EQ(get("a.txt"), kCrLf);
  EXPECT_THAT(answer.result->content,
              ::testing::HasSubstr("Line endings are CRLF, as the setting edit.line_endings says."));
  // A file that is there keeps its own.
  put("old.txt", "x\ny\n");
  EXPECT_EQ(written("old.txt"), kLf);
  ASSERT_TRUE(call("apply_patch", {{"patch", "--- /dev/null\n+++ b/p.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n"}}).ok());
  EXPECT_EQ(get("p.txt"), kCrLf);
  ASSERT_TRUE(
      call("apply_patch", {{"patch", "*** Begin Patch\n*** Add File: q.txt\n+a\n+b\n*** End Patch\n"}}).ok());
  EXPECT_EQ(get("q.txt"), kCrLf);
}

TEST_F(NewFileEndingsTest, FollowGitAttributes) {
  put(".gitattributes",
      "# all\n* text=auto\n*.bat\ttext eol=crlf\n\"my file.txt\" eol=crlf\n/only/here.txt eol=crlf\n"
      "[attr]dos text eol=crlf\n*.cmd dos\n*.bin eol=crlf -text\n");
  EXPECT_EQ(written("run.bat"), kCrLf);
  EXPECT_EQ(written("deep/er/run.bat"), kCrLf);
  EXPECT_EQ(written("my file.txt"), kCrLf);
  EXPECT_EQ(written("only/here.txt"), kCrLf);
  EXPECT_EQ(written("not/only/here.txt"), kLf);
  EXPECT_EQ(written("x.cmd"), kCrLf);
  EXPECT_EQ(written("x.bin"), kLf);
  EXPECT_EQ(written("a.txt"), kLf);
  // The nearest file and the last line count.
  put("unix/.gitattributes", "*.bat eol=crlf\n*.bat eol=lf\n");
  EXPECT_EQ(written("unix/run.bat"), kLf);
}

TEST_F(NewFileEndingsTest, AttributesOutweighTheSetting) {
  options_.settings.edit.line_endings = NewLineEndings::kCrLf;
  put(".gitattributes", "*.sh text eol=lf\n*.txt text\n");
  EXPECT_EQ(written("a.sh"), kLf);
  EXPECT_EQ(written("a.txt"), kCrLf);
}

TEST_F(NewFileEndingsTest, FollowEditorConfig) {
  put(".editorconfig",
      "; all\nroot = true\n[*]\nend_of_line = lf\n[*.{cs,vb}]\nEnd_Of_Line = CRLF\n"
      "[file{1..3}.txt]\nend_of_line=crlf\n[src/**.txt]\nend_of_line = crlf\n[/top.txt]\n"
      "end_of_line = crlf\n[[!a-m]*.md]\nend_of_line = crlf\n");
  EXPECT_EQ(written("a.cs"), kCrLf);
  EXPECT_EQ(written("deep/er/a.vb"), kCrLf);
  EXPECT_EQ(written("a.c"), kLf);
  EXPECT_EQ(written("file2.txt"), kCrLf);
  EXPECT_EQ(written("file4.txt"), kLf);
  EXPECT_EQ(written("src/a.txt"), kCrLf);
  EXPECT_EQ(written("top.txt"), kCrLf);
  EXPECT_EQ(written("x/top.txt"), kLf);
  EXPECT_EQ(written("z.md") + written("b.md"), concat(kCrLf, kLf));
}

TEST_F(NewFileEndingsTest, TheNearestEditorConfigCountsAndARootEndsTheSearch) {
  put(".editorconfig", "[*]\nend_of_line = crlf\n");
  put("near/.editorconfig", "[*.txt]\nend_of_line = lf\n");
  put("root/.editorconfig", "root = true\n[*.md]\nend_of_line = lf\n");
  EXPECT_EQ(written("near/a.txt"), kLf);
  EXPECT_EQ(written("near/a.md"), kCrLf);
  EXPECT_EQ(written("root/a.txt"), kLf);
  // Editors and git usually agree; if not, the editor's file counts.
  put(".gitattributes", "* eol=lf\n");
  EXPECT_EQ(written("b.txt"), kCrLf);
  EXPECT_EQ(written("root/b.txt"), kLf);
}

}  // namespace
}  // namespace helve
