// Skills as prompts and as files, with their changes.
#include "mcp/skill_offers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/sha256.h"
#include "base/strings.h"
#include "base/test_directory.h"

namespace helve::mcp {
namespace {

class SkillOffersTest : public ::testing::Test {
 protected:
  SkillOffersTest() {
    directory_.make("workspace");
    put("greet", "SKILL.md", kGreeting);
    put("greet", "notes/a b.txt", "note");
    put("Shouts", "SKILL.md", "---\nname: Shouts\ndescription: A name that is not allowed.\n---\nx\n");
  }
  void put(std::string_view skill, std::string_view file, std::string_view text) const {
    directory_.write(concat("workspace/.helve/skills/", skill, "/", file), text);
  }
  SkillPrompts::Places places() const {
    return {.workspace = directory_.at("workspace"), .project_trusted = true};
  }

  static constexpr std::string_view kGreeting =
      "---\nname: greet\ndescription: Greets people.\nmetadata:\n  tone: warm\n---\nSay hello.\n";
  TestDirectory directory_;
  SkillOffers offers_{[this] { return places(); }};
};

TEST_F(SkillOffersTest, ListsEachFileWithItsDigest) {
  const JsonArray list = offers_.list();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(to_text(list[0]),
            concat(R"({"uri":"skill://greet/SKILL.md","frontmatter":{"name":"greet",)"
                   R"("description":"Greets people.","metadata":{"tone":"warm"}},"resources":[)"
                   R"({"uri":"skill://greet/SKILL.md","digest":"sha256:)",
                   sha256_hex(kGreeting), R"(","size":)", kGreeting.size(),
                   R"(},{"uri":"skill://greet/notes/a%20b.txt","digest":"sha256:)", sha256_hex("note"),
                   R"(","size":4}]})"));
  EXPECT_EQ(offers_.get("skill://greet/SKILL.md"), list[0]);
  for (const char* uri : {"skill://greet", "skill://greet/notes/a%20b.txt", "skill://nobody/SKILL.md", "x"})
    EXPECT_FALSE(offers_.get(uri)) << uri;
}

TEST_F(SkillOffersTest, ReadsOnlyFilesOfSkills) {
  directory_.write("workspace/.helve/secret", "x");
  EXPECT_EQ(to_text(offers_.read("skill://greet/notes/a%20b.txt").value()),
            R"([{"uri":"skill://greet/notes/a%20b.txt","mimeType":"text/plain","text":"note"}])");
  EXPECT_EQ(*offers_.read("skill://greet/SKILL.md")->front().find("mimeType"), Json("text/markdown"));
  for (const char* uri :
       {"skill://greet/../../secret", "skill://greet/%2e%2e/x", "skill://greet/notes", "skill://greet"})
    EXPECT_FALSE(offers_.read(uri)) << uri;
}

TEST_F(SkillOffersTest, ShowsDirectories) {
  EXPECT_EQ(to_text(offers_.directory("skill://greet").value()),
            concat(R"([{"uri":"skill://greet/SKILL.md","name":"SKILL.md","size":)", kGreeting.size(),
                   R"(},{"uri":"skill://greet/notes","name":"notes","mimeType":"inode/directory"}])"));
  EXPECT_EQ(to_text(offers_.directory("skill://greet/notes/").value()),
            R"([{"uri":"skill://greet/notes/a%20b.txt","name":"a b.txt","size":4}])");
  for (const char* uri : {"skill://greet/SKILL.md", "skill://greet/other", "skill://nobody"})
    EXPECT_FALSE(offers_.directory(uri)) << uri;
}

TEST_F(SkillOffersTest, PromptsReportNewAndChangedSkills) {
  std::atomic<int> changes = 0;
  SkillPrompts prompts([this] { return places(); });
  const auto subscription = prompts.on_change([&] { ++changes; });
  const auto comes_to = [&](int count) {
    for (int i = 0; i < 1000 && changes < count; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return changes >= count;
  };
  // The watch may take its first look after the first of these.
  std::string text = "---\nname: wave\ndescription: Waves";
  for (int i = 0; i < 1000 && changes == 0; ++i) {
    put("wave", "SKILL.md", concat(text += '.', "\n---\nx\n"));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(comes_to(1));
  const int before = changes;
  // The watch may still be settling on the new directory.
  for (int i = 0; i < 100 && changes == before; ++i) {
    std::filesystem::remove_all(directory_.at("workspace/.helve/skills/wave"));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (changes == before) put("wave", "SKILL.md", concat(text += '.', "\n---\nx\n"));
  }
  EXPECT_TRUE(comes_to(before + 1));
}

}  // namespace
}  // namespace helve::mcp
