#include "effects/recorder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/test_directory.h"
#include "effects/effects.h"
#include "effects/restore.h"

namespace helve::effects {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Records calls as Watch does, and makes the changes itself.
class RecorderTest : public ::testing::Test {
 protected:
  RecorderTest() {
    std::filesystem::create_directories(workspace_);
    std::filesystem::create_directories(kept_);
    root_.reset(::open(workspace_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    state_.reset(::open(kept_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(workspace_ + "/" + path).parent_path());
    std::ofstream(workspace_ + "/" + path) << text;
  }
  [[nodiscard]] std::string get(const std::string& path) const {
    std::ifstream file(workspace_ + "/" + path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] bool exists(const std::string& path) const {
    return std::filesystem::exists(std::filesystem::symlink_status(workspace_ + "/" + path));
  }

  Recorder recorder(Budget budget = {}, LeftOut left_out = {}) {
    return Recorder(
        root_.get(),
        [this]() -> Expected<Storage> {
          auto objects = KeptObjects::open(state_.get(), "objects");
          if (!objects) return fail(objects.error());
          UniqueFd journal(
              ::openat(state_.get(), "journal", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
          return Storage{std::move(*objects), std::move(journal)};
        },
        budget, std::move(left_out));
  }
  [[nodiscard]] KeptObjects objects() { return KeptObjects::open(state_.get(), "objects").value(); }
  [[nodiscard]] std::vector<std::string> paths(const Effects& effects) const {
    std::vector<std::string> paths;
    for (const Effect& effect : effects.all) paths.push_back(effect.path);
    return paths;
  }

  TestDirectory directory_;
  const std::string workspace_ = directory_.at("workspace");
  const std::string kept_ = directory_.at("state");
  UniqueFd root_;
  UniqueFd state_;
};

TEST_F(RecorderTest, ACallThatFailsLeavesNoEffect) {
  put("a.txt", "a");
  Recorder record = recorder();
  record.before_remove("a.txt");
  record.before_create("never");
  EXPECT_THAT(settle(root_.get(), objects(), record.before(), {}).all, ::testing::IsEmpty());
}

TEST_F(RecorderTest, NothingIsOpenedForWhatIsLeftOut) {
  Recorder record = recorder({}, {.names = {"node_modules"}, .paths = {".helve"}});
  put("node_modules/x", "x");
  record.before_remove("node_modules/x");
  record.before_create("deep/node_modules/y");
  record.before_create(".helve/config.toml");
  EXPECT_FALSE(record.storage());
}

TEST_F(RecorderTest, AFileThatIsTooLargeIsNamed) {
  put("big", std::string(2000, 'x'));
  Recorder record = recorder({.largest_file = 1000});
  record.before_write("big");
  EXPECT_THAT(record.before().gap, HasSubstr("big: too large to keep"));
}

TEST_F(RecorderTest, MoreThanTheBudgetIsNamedWithTheFirstPath) {
  put("a", "0123456789");
  put("b", "0123456789");
  Recorder record = recorder({.bytes = 15});
  record.before_write("a");
  record.before_write("b");
  EXPECT_THAT(record.before().gap, HasSubstr("b: more than"));
}

TEST_F(RecorderTest, TheJournalOfAKilledProcessHasTheSameFacts) {
  put("a.txt", "a");
  put("tree/one", "1");
  Recorder record = recorder();
  record.before_write("a.txt");
  put("a.txt", "changed");
  record.before_rename("tree", "other");
  std::filesystem::rename(workspace_ + "/tree", workspace_ + "/other");
  std::ifstream file(kept_ + "/journal");
  std::string journal{std::istreambuf_iterator<char>(file), {}};
  const Effects expected = settle(root_.get(), objects(), record.before(), {});
  const Effects torn = settle(root_.get(), objects(), read_journal(journal + '\x50'), {});
  EXPECT_EQ(paths(torn), paths(expected));
  EXPECT_THAT(paths(expected), ElementsAre("a.txt", "other", "other/one", "tree", "tree/one"));
  EXPECT_EQ(expected.gap, "");
}

TEST_F(RecorderTest, UndoRefusesWhatOthersChangedSince) {
  put("a.txt", "a");
  Recorder record = recorder();
  record.before_write("a.txt");
  put("a.txt", "b");
  record.before_create("new");
  std::filesystem::create_directory(workspace_ + "/new");
  const KeptObjects kept = objects();
  Effects effects = settle(root_.get(), kept, record.before(), {});
  put("a.txt", "by someone else");
  auto found = Restorer(root_.get(), kept, effects, Direction::kUndo).find_disagreement();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "a.txt");
  put("a.txt", "b");  // the same bytes again
  put("new/theirs", "x");
  found = Restorer(root_.get(), kept, effects, Direction::kUndo).find_disagreement();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "new/theirs");
  std::filesystem::remove(workspace_ + "/new/theirs");
  Restorer restorer(root_.get(), kept, effects, Direction::kUndo);
  ASSERT_FALSE(restorer.find_disagreement());
  ASSERT_TRUE(restorer.keep_present());
  ASSERT_TRUE(restorer.apply());
  EXPECT_EQ(get("a.txt"), "a");
  EXPECT_FALSE(exists("new"));
}

TEST_F(RecorderTest, ASwappedDirectoryCannotLeadOutside) {
  put("tree/one", "1");
  const std::string outside = directory_.at("outside");
  std::filesystem::create_directory(outside);
  std::ofstream(outside + "/one") << "secret";
  Recorder record = recorder();
  std::filesystem::remove_all(workspace_ + "/tree");
  std::filesystem::create_directory_symlink(outside, workspace_ + "/tree");
  record.before_remove("tree/one");
  EXPECT_THAT(record.before().links, ::testing::IsEmpty());
  EXPECT_THAT(record.before().copies, ::testing::IsEmpty());
}

TEST_F(RecorderTest, DamagedEffectsAreNotRead) {
  Effects effects;
  effects.all.push_back({.path = "a", .before = {}, .after = {}});
  std::string bytes = encode_effects(effects);
  EXPECT_TRUE(decode_effects(bytes));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_FALSE(decode_effects(bytes));
  EXPECT_FALSE(decode_effects(bytes.substr(0, 30)));
}

}  // namespace
}  // namespace helve::effects
