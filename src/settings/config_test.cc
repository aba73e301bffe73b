#include "settings/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/file_io.h"
#include "base/strings.h"
#include "base/test_directory.h"
#include "helve/settings.h"
#include "settings/trust.h"

namespace helve::settings {
namespace {

class ConfigTest : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(directory_.at(name)) << text;
    return directory_.at(name);
  }
  static std::string origin(const Config& config, const std::string& key) {
    for (const Config::Entry& entry : config.entries)
      if (entry.key == key) return to_text(entry.value) + " from " + entry.origin;
    return "no such key";
  }
  std::string problem() {
    const auto config = load_config(sources_);
    return config ? "" : config.error().message;
  }

  // As if the user had reviewed the project file.
  void trust_project() {
    auto grants = std::make_shared<ProjectGrants>();
    grants->files.push_back(
        {.path = ".helve/config.toml", .sha256 = {}, .text = read_file(sources_.project_file).value()});
    sources_.project.grants = std::move(grants);
  }

  TestDirectory directory_;
  ConfigSources sources_;
};

TEST_F(ConfigTest, AFileThatOthersCanWriteIsNotObeyed) {
  sources_.user_file = file("user.toml", "mode = \"full\"\n");
  ASSERT_EQ(::chmod(sources_.user_file.c_str(), 0666), 0);
  const auto config = load_config(sources_);
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kSecurity);
  EXPECT_EQ(config.error().message, sources_.user_file + " is writable by everyone.");
  EXPECT_EQ(config.error().hint, "Check its content, then run chmod go-w " + sources_.user_file + ".");
  ASSERT_EQ(::chmod(sources_.user_file.c_str(), 0644), 0);
  EXPECT_EQ(problem(), "");
}

TEST_F(ConfigTest, LaterSourcesWinAndEveryValueHasItsOrigin) {
  sources_.user_file =
      file("user.toml",
           "mode = \"plan\"\n[results]\nlimit = 3000\nkeep_days = 1\n[results.limits]\ngrep = 9000\n");
  sources_.project_file =
      file("project.toml", "[results]\nlimit = 4000\n[tools]\nenabled = [\"base\", \"-exec\"]\n");
  trust_project();
  sources_.environment = {{"HELVE_RESULTS_KEEP_DAYS", "2"}, {"HELVE_AUDIT_SYNC", "yes"}};
  sources_.assignments = {{"mode", "full"}, {"tools.enabled", "base,code"}};
  const auto config = load_config(sources_);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(origin(*config, "mode"), "\"full\" from --set");
  EXPECT_EQ(origin(*config, "results.limit"), "4000 from " + sources_.project_file);
  EXPECT_EQ(origin(*config, "results.keep_days"), "2 from environment HELVE_RESULTS_KEEP_DAYS");
  EXPECT_EQ(origin(*config, "results.limits"), "{\"grep\":9000} from " + sources_.user_file);
  EXPECT_EQ(origin(*config, "results.batch_limit"), "200000 from default");
  EXPECT_EQ(config->settings->tools.enabled, (std::vector<std::string>{"base", "code"}));
  EXPECT_TRUE(config->settings->audit.sync);
}

TEST_F(ConfigTest, RulesAndHooksOfAllSourcesAddUp) {
  sources_.user_file =
      file("user.toml",
           "[permissions]\ndeny = [\"exec(rm:*)\"]\n[permissions.examples]\n\"exec(rm:*)\" = [\"rm x\"]\n"
           "[[hooks.before]]\ncommand = \"first\"\n");
  sources_.rules_file = file("rules.toml", "[permissions]\nallow = [\"exec(git status:*)\"]\n");
  sources_.project_file =
      file("project.toml",
           "[permissions]\ndeny = []\nallow = [\"exec(make:*)\", \"exec(git status:*)\"]\n"
           "[[hooks.before]]\nmatch = \"exec\"\ncommand = \"second\"\n");
  trust_project();
  sources_.assignments = {{"permissions.deny", "[\"exec(git push:*)\"]"}};
  const auto config = load_config(sources_);
  ASSERT_TRUE(config) << config.error().message;
  const Settings::Permissions& permissions = config->settings->permissions;
  EXPECT_EQ(permissions.deny, (std::vector<std::string>{"exec(rm:*)", "exec(git push:*)"}));
  EXPECT_EQ(permissions.allow, (std::vector<std::string>{"exec(git status:*)", "exec(make:*)"}));
  const auto origin_of = [&](const std::string& rule) {
    const auto& origin = permissions.origins.at(rule);
    return origin.source + " " + std::to_string(origin.number);
  };
  EXPECT_EQ(origin_of("deny exec(rm:*)"), sources_.user_file + " 1");
  EXPECT_EQ(origin_of("deny exec(git push:*)"), "--set 1");
  EXPECT_EQ(origin_of("allow exec(git status:*)"), sources_.rules_file + " 1") << "the first who named it";
  EXPECT_EQ(origin_of("allow exec(make:*)"), sources_.project_file + " 1");
  EXPECT_EQ(permissions.examples.at("exec(rm:*)"), (std::vector<std::string>{"rm x"}));
  ASSERT_EQ(config->settings->hooks.before.size(), 2U);
  EXPECT_EQ(config->settings->hooks.before[1].command, "second");
}

TEST_F(ConfigTest, AnUntrustedProjectFileDoesNotCountAndIsMentioned) {
  sources_.project_file = file("project.toml", "this is not even TOML");
  sources_.project.reason = "its folder is not trusted";
  const auto config = load_config(sources_);
  ASSERT_TRUE(config);
  ASSERT_EQ(config->warnings.size(), 1U);
  EXPECT_THAT(config->warnings[0], ::testing::HasSubstr("is not trusted"));
}

TEST_F(ConfigTest, AnUntrustedProjectFileWithNothingButCommentsIsNotMentioned) {
  sources_.project_file = file("project.toml", "# mode = \"plan\"\r\n\n  # [permissions]\n");
  auto config = load_config(sources_);
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->warnings.empty());
  sources_.project_file = file("project.toml", "# mode\nmode = \"plan\"\n");
  config = load_config(sources_);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->warnings.size(), 1U);
}

TEST_F(ConfigTest, UnknownKeysAreErrorsWithTheNearestName) {
  sources_.user_file = file("user.toml", "[results]\nlimt = 3000\nkeep_days = \"x\"\n");
  EXPECT_EQ(problem(),
            sources_.user_file +
                ": 2 problems with the settings\n"
                "- results.keep_days must be a whole number, but is \"x\"; write it without the quotes\n"
                "- results.limt is not a known setting; did you mean limit?");
  sources_ = {};
  sources_.assignments = {{"results.limts", "1"}};
  EXPECT_EQ(problem(), "There is no setting results.limts; did you mean results.limits? (--set)");
}

TEST_F(ConfigTest, AssignmentsReachIntoMaps) {
  sources_.user_file = file("user.toml",
                            "[lsp.servers.pyright]\nargs = [\"--stdio\"]\n[results.limits]\ngrep = 9000\n"
                            "[mcp_servers.web]\ncommand = \"web\"\n");
  sources_.assignments = {{"lsp.servers.pyright.enabled", "false"},
                          {"lsp.servers.\"my.server\".command", "mine"},
                          {"lsp.servers.clangd.settings.index.threads", "2"},
                          {"results.limits.exec", "3000"},
                          {"exec.environment.FOO", "a=b"},
                          {"model.headers.X-Route.To", "x"},
                          {"guide.fallbacks.code_query", "grep,find"},
                          {"mcp_servers.web.env.TOKEN", "t"},
                          {"mcp_servers.web.time_limit_ms", "1000"},
                          {"tools.names.Shell", "exec"}};
  const auto config = load_config(sources_);
  ASSERT_TRUE(config) << config.error().message;
  const Settings& settings = *config->settings;
  const auto& servers = settings.lsp.servers;
  EXPECT_EQ(servers.at("pyright").enabled, false);
  EXPECT_EQ(servers.at("pyright").args, std::vector<std::string>{"--stdio"});
  EXPECT_EQ(servers.at("my.server").command, "mine");
  EXPECT_EQ(to_text(*servers.at("clangd").settings), R"({"index":{"threads":2}})");
  EXPECT_EQ(settings.results.limits, (std::map<std::string, int>{{"exec", 3000}, {"grep", 9000}}));
  EXPECT_EQ(settings.exec.environment.at("FOO"), "a=b");
  EXPECT_EQ(settings.model.headers.at("X-Route.To"), "x");
  EXPECT_EQ(settings.guide.fallbacks.at("code_query"), (std::vector<std::string>{"grep", "find"}));
  EXPECT_EQ(settings.mcp_servers.at("web").command, "web");
  EXPECT_EQ(settings.mcp_servers.at("web").env.at("TOKEN"), "t");
  EXPECT_EQ(settings.mcp_servers.at("web").time_limit_ms, 1000);
  EXPECT_EQ(settings.tools.names.at("Shell"), "exec");
  EXPECT_THAT(origin(*config, "results.limits"), ::testing::EndsWith(concat(sources_.user_file, ", --set")));
}

TEST_F(ConfigTest, AnAssignmentIntoAMapIsCheckedAsAWhole) {
  const auto problem_of = [&](const std::string& key, const std::string& value) {
    sources_.assignments = {{key, value}};
    return problem();
  };
  EXPECT_EQ(
      problem_of("lsp.servers.pyright.enabeld", "false"),
      "There is no setting lsp.servers.pyright.enabeld: enabeld is not known there; did you mean enabled? "
      "(--set)");
  EXPECT_THAT(problem_of("lsp.servers.pyright.enabled", "maybe"),
              ::testing::HasSubstr("lsp.servers.pyright.enabled must be true or false, but is \"maybe\""));
  EXPECT_THAT(problem_of("results.limits.exec", "many"), ::testing::HasSubstr("must be a whole number"));
  EXPECT_THAT(problem_of("mcp_servers.web.start_ms", "0"), ::testing::HasSubstr("mcp_servers.web.start_ms"));
  EXPECT_THAT(problem_of("lsp.servers..enabled", "true"), ::testing::HasSubstr("There is no setting"));
  EXPECT_THAT(problem_of("lsp.servers.\"x.enabled", "true"), ::testing::HasSubstr("There is no setting"));
  EXPECT_THAT(problem_of("lsp.servers.x.enabled.more", "true"), ::testing::HasSubstr("it has no members"));
  EXPECT_THAT(problem_of("lsp.servers.", "{}"), ::testing::HasSubstr("There is no setting"));
}

TEST_F(ConfigTest, ASettingInTheWrongSectionIsReportedWithItsPlace) {
  sources_.user_file = file("user.toml", "[model]\nmode = \"plan\"\nbase_url = \"x\"\nripgrep = \"rg\"\n");
  EXPECT_EQ(problem(), sources_.user_file +
                           ": 2 problems with the settings\n"
                           "- model.mode is not a known setting; mode stands at the top, before the first "
                           "[section]\n"
                           "- model.ripgrep is not a known setting; ripgrep stands below [search]");
  sources_.user_file = file("user.toml", "ripgrep = \"rg\"\n");
  EXPECT_EQ(problem(), sources_.user_file +
                           ": 1 problem with the settings\n"
                           "- ripgrep is not a known setting; ripgrep stands below [search]");
}

TEST_F(ConfigTest, UnknownVariablesAreOnlyReportedUnlessASettingWasMeant) {
  sources_.environment = {{"HELVE_OF_OURS", "1"}};
  const auto config = load_config(sources_);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->warnings,
            std::vector<std::string>{"HELVE_OF_OURS in the environment names no setting and is ignored"});
  sources_.environment = {{"HELVE_MOODE", "plan"}};
  EXPECT_EQ(problem(), "HELVE_MOODE in the environment names no setting; did you mean HELVE_MODE?");
  sources_.environment = {{"HELVE_MODEL", "x"}};
  EXPECT_EQ(problem(), "HELVE_MODEL in the environment names a section.");
  sources_.environment = {{"HELVE_PERMISSIONS_MODE", "plan"}};
  EXPECT_EQ(problem(),
            "HELVE_PERMISSIONS_MODE in the environment names no setting; did you mean HELVE_MODE?");
  sources_.environment = {{"HELVE_MODE", "aks"}};
  EXPECT_THAT(problem(), ::testing::HasSubstr("mode must be ask"));
}

TEST(NearestSetting, ForgivesAWrongOrMissingSection) {
  EXPECT_EQ(nearest_setting("permissions.mode"), "mode");
  EXPECT_EQ(nearest_setting("limit"), "results.limit");
  EXPECT_EQ(nearest_setting("search_engine"), "search.engine");
  EXPECT_EQ(nearest_setting("lsp.enabeld"), "lsp.enabled");
  EXPECT_EQ(nearest_setting("zzz"), "");
}

TEST_F(ConfigTest, ValuesAreCheckedWhereverTheyComeFrom) {
  sources_.assignments = {{"results.limit", "many"}};
  EXPECT_THAT(problem(), ::testing::HasSubstr("results.limit must be a whole number, but is \"many\""));
  sources_.assignments = {{"results.limit", "1"}};
  EXPECT_THAT(problem(), ::testing::HasSubstr("results.limit must be at least 2048, but is 1"));
  sources_.assignments = {{"mode", "fll"}};
  EXPECT_THAT(problem(), ::testing::HasSubstr("did you mean full?"));
}

TEST_F(ConfigTest, BrokenTomlSaysLineAndColumn) {
  sources_.user_file = file("user.toml", "mode = \"ask\"\nmode = = 3\n");
  EXPECT_TRUE(problem().starts_with(sources_.user_file + ", line 2, column ")) << problem();
}

TEST_F(ConfigTest, AMissingFileIsFineUnlessItWasNamed) {
  sources_.user_file = directory_.at("none.toml");
  EXPECT_TRUE(load_config(sources_));
  sources_.user_file_required = true;
  EXPECT_FALSE(load_config(sources_));
}

}  // namespace
}  // namespace helve::settings
