#include "cli/kept_rules.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file_io.h"
#include "core/config.h"
#include "workspace/test_directory.h"

namespace helve::cli {
namespace {

TEST(KeptRules, AreAddedOnceAndReadBackByTheConfiguration) {
  const TestDirectory directory;
  const std::string path = directory.at("config/rules.toml");
  ASSERT_TRUE(keep_rules(path, {"exec(git status:*)", "exec(echo \"a b\")"}));
  ASSERT_TRUE(keep_rules(path, {"exec(make)", "exec(git status:*)"}));
  ConfigSources sources;
  sources.rules_file = path;
  const auto config = load_config(sources);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->settings.permissions.allow,
            (std::vector<std::string>{"exec(git status:*)", "exec(echo \"a b\")", "exec(make)"}));
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(KeptRules, LoseNothingThatAPersonAdded) {
  const TestDirectory directory;
  directory.write("rules.toml", "[permissions]\nallow = [\"exec(ls)\"]\ndeny = [\"exec(rm:*)\"]\n");
  const auto kept = keep_rules(directory.at("rules.toml"), {"exec(make)"});
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ErrorCode::kConflict);
  EXPECT_NE(kept.error().hint.find("exec(make)"), std::string::npos) << kept.error().hint;
  EXPECT_NE(directory.read("rules.toml").find("exec(rm:*)"), std::string::npos);
}

TEST(KeptRules, LeaveAFileAloneThatTheyCannotRead) {
  const TestDirectory directory;
  directory.write("rules.toml", "this is no TOML");
  EXPECT_FALSE(keep_rules(directory.at("rules.toml"), {"exec(make)"}));
  EXPECT_EQ(read_file(directory.at("rules.toml")).value(), "this is no TOML");
}

}  // namespace
}  // namespace helve::cli
