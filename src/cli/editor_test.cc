#include "cli/editor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/environment.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "base/test_directory.h"

namespace helve::cli {
namespace {

class EditorTest : public ::testing::Test {
 protected:
  EditorTest() {
    for (const char* name : {"VISUAL", "EDITOR", "XDG_RUNTIME_DIR"}) {
      before_.emplace_back(name, environment_variable(name));
      ::unsetenv(name);
    }
    ::setenv("XDG_RUNTIME_DIR", directory_.path().c_str(), 1);
  }
  ~EditorTest() override {
    for (const auto& [name, value] : before_)
      value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
  }
  // The text after the command has edited it.
  static Expected<std::string> edited_by(const std::string& command) {
    ::setenv("EDITOR", command.c_str(), 1);
    const auto text = EditedText::create("note.md", "one\n");
    EXPECT_TRUE(text) << text.error().message;
    return text->edit();
  }

  TestDirectory directory_;
  std::vector<std::pair<std::string, std::string>> before_;
};

TEST_F(EditorTest, ReturnsTheEditedText) { EXPECT_EQ(edited_by("sed -i s/one/two/").value(), "two\n"); }

TEST_F(EditorTest, VisualCountsBeforeEditor) {
  ::setenv("VISUAL", "sed -i s/one/three/", 1);
  EXPECT_EQ(edited_by("sed -i s/one/two/").value(), "three\n");
}

TEST_F(EditorTest, AnEditorThatIsMissingOrFailsIsAnError) {
  const auto missing = edited_by("no-such-editor --wait");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(missing.error().message, "The editor \"no-such-editor --wait\" was not found.");
  const auto failed = edited_by("sh -c 'exit 3'");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(failed.error().message, "The editor \"sh -c 'exit 3'\" ended with code 3; nothing was saved.");
  const auto killed = edited_by("kill -9 $$; true");
  ASSERT_FALSE(killed);
  EXPECT_THAT(killed.error().message, ::testing::HasSubstr("ended with code 137"));
  const auto removed = edited_by("rm");
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, ErrorCode::kNotFound);
}

TEST_F(EditorTest, TheFileIsPrivateAndGoesAwayUnlessItIsKept) {
  std::string path;
  {
    const auto text = EditedText::create("a.py", "x = 1\n");
    ASSERT_TRUE(text);
    path = text->path();
    struct stat status{};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
    EXPECT_TRUE(path.ends_with("/a.py")) << path;
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  {
    auto text = EditedText::create("a.py", "x = 1\n");
    ASSERT_TRUE(text);
    path = text->keep();
  }
  EXPECT_EQ(read_file(path).value(), "x = 1\n");
}

}  // namespace
}  // namespace helve::cli
