#include "skills/project_instructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "base/test_directory.h"

namespace helve::skills {
namespace {

class ProjectInstructionsTest : public ::testing::Test {
 protected:
  // `workspace` is relative to the test's directory, `directory` to the workspace.
  [[nodiscard]] ProjectInstructions read(std::string_view workspace, std::string_view directory,
                                         std::size_t max_bytes = std::size_t{32} << 10) const {
    const auto root = workspace::Root::open(files_.at(workspace));
    EXPECT_TRUE(root);
    auto found = project_instructions(*root, directory, max_bytes);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *std::move(found) : ProjectInstructions();
  }
  [[nodiscard]] std::string text(std::string_view workspace, std::string_view directory) const {
    return replace_all(read(workspace, directory).text, files_.path(), "");
  }

  TestDirectory files_;
};

TEST_F(ProjectInstructionsTest, EmptyWithoutFiles) {
  EXPECT_EQ(text(".", "."), "");
  files_.write("AGENTS.md", " \n");
  EXPECT_EQ(text(".", "."), "");
}

TEST_F(ProjectInstructionsTest, ReadsFromTheRootDown) {
  files_.make(".git");
  files_.write("AGENTS.md", "root\n");
  files_.write("a/AGENTS.md", "a");
  files_.write("a/b/AGENTS.md", "b\n");
  files_.write("c/AGENTS.md", "beside\n");
  EXPECT_EQ(text(".", "a/b"),
            "<project_instructions path=\"AGENTS.md\">\nroot\n</project_instructions>\n"
            "<project_instructions path=\"a/AGENTS.md\">\na\n</project_instructions>\n"
            "<project_instructions path=\"a/b/AGENTS.md\">\nb\n</project_instructions>\n");
  EXPECT_EQ(read(".", ".").parts.size(), 1U);
}

TEST_F(ProjectInstructionsTest, UsesClaudeFilesWhereAgentsFilesAreMissing) {
  files_.write("AGENTS.md", "agents\n");
  files_.write("CLAUDE.md", "not read\n");
  files_.write("a/CLAUDE.md", "claude\n@docs/more.md\n");
  files_.write("a/docs/more.md", "not followed\n");
  EXPECT_EQ(text(".", "a"),
            "<project_instructions path=\"AGENTS.md\">\nagents\n</project_instructions>\n"
            "<project_instructions path=\"a/CLAUDE.md\">\nclaude\n@docs/more.md\n</project_instructions>\n");
}

TEST_F(ProjectInstructionsTest, StartsAtARepositoryAboveTheWorkspace) {
  files_.write("AGENTS.md", "above the repository\n");
  files_.write("repo/.git", "gitdir: elsewhere\n");
  files_.write("repo/AGENTS.md", "root\n");
  files_.write("repo/sub/AGENTS.md", "workspace\n");
  EXPECT_EQ(text("repo/sub", "."),
            "<project_instructions path=\"/repo/AGENTS.md\">\nroot\n</project_instructions>\n"
            "<project_instructions path=\"AGENTS.md\">\nworkspace\n</project_instructions>\n");
}

TEST_F(ProjectInstructionsTest, StartsAtARepositoryInsideTheWorkspace) {
  files_.make(".git");
  files_.write("AGENTS.md", "outer\n");
  files_.make("vendor/x/.git");
  files_.write("vendor/x/AGENTS.md", "inner\n");
  EXPECT_EQ(text(".", "vendor/x"),
            "<project_instructions path=\"vendor/x/AGENTS.md\">\ninner\n</project_instructions>\n");
}

TEST_F(ProjectInstructionsTest, IgnoresARepositoryOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  files_.make("repo/.git");
  files_.write("repo/AGENTS.md", "planted\n");
  files_.write("repo/sub/AGENTS.md", "workspace\n");
  ASSERT_EQ(::chown(files_.at("repo").c_str(), 65534, 65534), 0);
  EXPECT_EQ(text("repo/sub", "."),
            "<project_instructions path=\"AGENTS.md\">\nworkspace\n</project_instructions>\n");
}

TEST_F(ProjectInstructionsTest, TruncatesTheOutermostFirst) {
  files_.write("AGENTS.md", std::string(100, 'r'));
  files_.write("a/AGENTS.md", std::string(70, 'a'));
  const ProjectInstructions found = read(".", "a", 100);
  ASSERT_EQ(found.parts.size(), 2U);
  EXPECT_EQ(found.parts[0].text.size(), 30U);
  EXPECT_EQ(found.parts[0].left_out, 70U);
  EXPECT_EQ(found.parts[1].text.size(), 70U);
  EXPECT_THAT(found.text, ::testing::HasSubstr("\n[70 bytes are left out; read the file to see them]\n"));
  EXPECT_EQ(
      found.warnings,
      std::vector<std::string>{
          "AGENTS.md is truncated: 70 bytes exceed the limit of 100 bytes for all project instructions."});
  EXPECT_EQ(read(".", "a", 60).parts[0].text, "");
}

TEST_F(ProjectInstructionsTest, KeepsCharactersWholeAndCountsHugeFiles) {
  files_.write("AGENTS.md", "ääää");
  EXPECT_EQ(read(".", ".", 5).parts[0].text, "ää");
  files_.write("AGENTS.md", std::string(3'000'000, 'x'));
  const ProjectInstructions found = read(".", ".");
  EXPECT_EQ(found.parts[0].text.size(), 32'768U);
  EXPECT_EQ(found.parts[0].left_out, 3'000'000U - 32'768U);
}

TEST_F(ProjectInstructionsTest, SkipsSymlinksOutsideAndSpecialFiles) {
  files_.write("secret", "key\n");
  files_.make("work");
  files_.link("../secret", "work/AGENTS.md");
  ProjectInstructions found = read("work", ".");
  EXPECT_EQ(found.text, "");
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_TRUE(found.warnings[0].starts_with("AGENTS.md is left out: ")) << found.warnings[0];
  files_.write("binary/AGENTS.md", std::string("\0\1\2\3", 4));
  found = read("binary", ".");
  EXPECT_EQ(found.warnings, std::vector<std::string>{"AGENTS.md is left out: it is not a text file."});
  files_.make("directory/AGENTS.md");
  EXPECT_EQ(read("directory", ".").warnings.size(), 1U);
}

TEST_F(ProjectInstructionsTest, RejectsADirectoryOutside) {
  files_.make("work");
  const auto root = workspace::Root::open(files_.at("work"));
  EXPECT_EQ(project_instructions(*root, "..").error().code, ErrorCode::kSecurity);
  EXPECT_EQ(project_instructions(*root, "missing").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace helve::skills
