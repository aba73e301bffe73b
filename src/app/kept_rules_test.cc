#include "app/kept_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "base/file_io.h"
#include "base/strings.h"
#include "base/test_directory.h"
#include "helve/settings.h"
#include "settings/config.h"

namespace helve::app {
namespace {

constexpr const char* kWorkspace = "/projects/x";

// The workspace's file, with this in it.
std::string prepare(const TestDirectory& directory, const std::string& text) {
  const std::string path = kept_rules_path(directory.path(), kWorkspace);
  directory.make("rules");
  std::ofstream(path) << text;
  return path;
}

TEST(KeptRules, AreAddedOnceAndReadBackByTheConfiguration) {
  const TestDirectory directory;
  const std::string config_directory = directory.at("config");
  ASSERT_TRUE(keep_rules(config_directory, "/projects/a b", {"exec(git status:*)", "exec(echo \"a b\")"}));
  ASSERT_TRUE(keep_rules(config_directory, "/projects/a b", {"exec(make)", "exec(git status:*)"}));
  ASSERT_TRUE(keep_rules(config_directory, "/home/a b", {"exec(elsewhere)"}));
  const std::string path = kept_rules_path(config_directory, "/projects/a b");
  EXPECT_TRUE(path.starts_with(config_directory + "/rules/a_b-")) << path;
  settings::ConfigSources sources;
  sources.workspace_rules_file = path;
  const auto config = settings::load_config(sources);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->settings->permissions.allow,
            (std::vector<std::string>{"exec(git status:*)", "exec(echo \"a b\")", "exec(make)"}));
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(KeptRules, KeepTheRulesOfConcurrentAnswers) {
  const TestDirectory directory;
  constexpr int kEach = 25;
  const auto answer = [&](const char* name) {
    for (int i = 0; i < kEach; ++i)
      EXPECT_TRUE(keep_rules(directory.path(), kWorkspace, {concat("exec(", name, i, ")")}));
  };
  {
    const std::jthread one(answer, "one");
    const std::jthread other(answer, "other");
  }
  settings::ConfigSources sources;
  sources.workspace_rules_file = kept_rules_path(directory.path(), kWorkspace);
  EXPECT_EQ(settings::load_config(sources)->settings->permissions.allow.size(), 2U * kEach);
}

TEST(KeptRules, LeaveOtherSettingsInTheFileAlone) {
  const TestDirectory directory;
  const std::string path =
      prepare(directory, "[permissions]\nallow = [\"exec(ls)\"]\ndeny = [\"exec(rm:*)\"]\n");
  const auto kept = keep_rules(directory.path(), kWorkspace, {"exec(make)"});
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ErrorCode::kConflict);
  EXPECT_THAT(kept.error().hint, ::testing::HasSubstr("exec(make)"));
  EXPECT_THAT(read_file(path).value(), ::testing::HasSubstr("exec(rm:*)"));
}

TEST(KeptRules, LeaveAnUnreadableFileAlone) {
  const TestDirectory directory;
  const std::string path = prepare(directory, "this is not TOML");
  EXPECT_FALSE(keep_rules(directory.path(), kWorkspace, {"exec(make)"}));
  EXPECT_EQ(read_file(path).value(), "this is not TOML");
}

}  // namespace
}  // namespace helve::app
