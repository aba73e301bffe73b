#include "skills/skill_folder.h"

#include "base/sha256.h"
#include "skills/testing.h"

namespace helve::skills {
namespace {

class SkillFolderTest : public SkillsTest {
 protected:
  SkillFolderTest() { make_skill("work/.claude/skills/a", "x"); }

  [[nodiscard]] SkillFolder folder() {
    auto opened = SkillFolder::open(*discover().find("a"), workspace());
    EXPECT_TRUE(opened);
    return *std::move(opened);
  }
};

TEST_F(SkillFolderTest, ListsFilesByPath) {
  files_.write("work/.claude/skills/a/b/c.txt", "12345");
  files_.write("work/.claude/skills/a/B.txt", "");
  files_.link("b/c.txt", "work/.claude/skills/a/link.txt");
  const auto list = folder().list();
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->complete);
  ASSERT_EQ(list->files.size(), 3U);
  EXPECT_EQ(list->files[0], (SkillFile{"B.txt", 0}));
  EXPECT_EQ(list->files[1].path, "SKILL.md");
  EXPECT_EQ(list->files[2], (SkillFile{"b/c.txt", 5}));
}

TEST_F(SkillFolderTest, DigestsMatchTheBytes) {
  files_.write("work/.claude/skills/a/b.bin", std::string("\0\xFF\n", 3));
  const auto digests = folder().digests();
  ASSERT_TRUE(digests);
  ASSERT_EQ(digests->size(), 2U);
  EXPECT_EQ((*digests)[0].sha256, sha256_hex(files_.read("work/.claude/skills/a/SKILL.md")));
  EXPECT_EQ((*digests)[1], (SkillFile{"b.bin", 3, sha256_hex(std::string("\0\xFF\n", 3))}));
}

TEST_F(SkillFolderTest, RejectsDigestsOfTooManyFiles) {
  for (int i = 0; i < 512; ++i) files_.write(concat("work/.claude/skills/a/r/", i), "x");
  const auto digests = folder().digests();
  ASSERT_FALSE(digests);
  EXPECT_EQ(digests.error().message, "The skill's folder has too many files; at most 512 files are served.");
  EXPECT_FALSE(folder().list()->complete);
  std::filesystem::remove(files_.at("work/.claude/skills/a/r/0"));
  EXPECT_EQ(folder().digests()->size(), 512U);
}

TEST_F(SkillFolderTest, RejectsDigestsOfTooMuchContent) {
  files_.write("work/.claude/skills/a/big", "");
  std::filesystem::resize_file(files_.at("work/.claude/skills/a/big"), std::uintmax_t{17} << 20);
  const auto digests = folder().digests();
  ASSERT_FALSE(digests);
  EXPECT_EQ(digests.error().message, "The skill's folder has more than 16 MiB; at most 16 MiB are served.");
}

TEST_F(SkillFolderTest, ReadsOnlyFilesInside) {
  files_.write("work/outside.txt", "x");
  files_.write("work/.claude/skills/a/in/side.txt", "inside");
  EXPECT_EQ(*folder().read("in/../in/side.txt", 100), "inside");
  EXPECT_EQ(folder().read("../../../outside.txt", 100).error().code, ErrorCode::kSecurity);
  EXPECT_EQ(folder().read("in/../../../../outside.txt", 100).error().code, ErrorCode::kSecurity);
  EXPECT_EQ(folder().read("/etc/passwd", 100).error().code, ErrorCode::kSecurity);
  EXPECT_EQ(folder().read("missing", 100).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(folder().read("in", 100));
}

}  // namespace
}  // namespace helve::skills
