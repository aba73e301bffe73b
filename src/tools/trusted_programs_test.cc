// Programs that run outside of the sandbox: nothing in it writes them, and they run only as reviewed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "base/strings.h"
#include "core/service_sandbox.h"
#include "settings/trusted_programs.h"
#include "tools/testing.h"

namespace helve {
namespace {

using ::testing::HasSubstr;

class TrustedProgramsTest : public testing::ToolTest {
 protected:
  void hook(const std::string& command) {
    options_.settings.hooks.before.push_back({.match = "ls", .command = command});
  }
  std::string run(const std::string& command) { return content("exec", {{"command", command}}); }
  void expect_refused(const std::string& name) {
    EXPECT_THAT(error("write", {{"path", name}, {"content", "evil"}}).message, HasSubstr("is protected"));
    run("echo evil >" + shell_quoted(name));
    run("rm -f " + shell_quoted(name) + "; echo evil >" + shell_quoted(name));
    EXPECT_THAT(get(name), ::testing::Not(HasSubstr("evil"))) << name;
  }
};

TEST_F(TrustedProgramsTest, NoToolAndNoCommandWritesAProgramOfAHook) {
  put("scripts/check.sh", "true\n");
  hook("./scripts/check.sh --fast");
  expect_refused("scripts/check.sh");
  run("mv scripts old; mkdir scripts; echo evil >scripts/check.sh");
  EXPECT_EQ(get("scripts/check.sh"), "true\n");
  put("scripts/other.sh", "");
  EXPECT_TRUE(call("write", {{"path", "scripts/other.sh"}, {"content", "fine"}}).ok());
}

TEST_F(TrustedProgramsTest, NoCommandMakesTheMissingProgramOfAHook) {
  put("scripts/other.sh", "");
  hook("./scripts/check.sh");
  EXPECT_THAT(error("write", {{"path", "scripts/check.sh"}, {"content", "evil"}}).message,
              HasSubstr("is protected"));
  run("echo evil >scripts/check.sh");
  EXPECT_FALSE(exists("scripts/check.sh"));
}

TEST_F(TrustedProgramsTest, NoCommandWritesAServersProgramThroughItsSymlinks) {
  put("real/server.js", "1\n");
  std::filesystem::create_symlink("real", path("tools"));
  std::filesystem::create_symlink("tools/server.js", path("start.js"));
  options_.settings.mcp_servers["a"] = {.command = "node", .args = {"start.js"}};
  expect_refused("real/server.js");
  EXPECT_FALSE(
      call("apply_patch", {{"patch", "*** Begin Patch\n*** Delete File: start.js\n*** End Patch\n"}}).ok());
  run("ln -sfn other start.js; rm -f tools; mkdir tools; echo evil >tools/server.js");
  EXPECT_EQ(get("start.js"), "1\n");
  EXPECT_TRUE(std::filesystem::is_symlink(path("tools")));
}

TEST_F(TrustedProgramsTest, NoCommandWritesWhatALanguageServerRuns) {
  put("tools/lsp.js", "1\n");
  options_.settings.lsp.servers["mine"] = {.command = "node",
                                           .args = std::vector<std::string>{"tools/lsp.js"}};
  expect_refused("tools/lsp.js");
}

TEST_F(TrustedProgramsTest, NoCommandWritesTheProgramThatSearches) {
  put("tools/rg", "1\n");
  options_.settings.search.ripgrep = "./tools/rg";
  expect_refused("tools/rg");
}

TEST_F(TrustedProgramsTest, NoPluginWritesAProgramOfAHook) {
  put("scripts/check.sh", "true\n");
  const auto plan = core::plan_process({}, {},
                                       {.workspace = options_.workspace,
                                        .state_directory = options_.state_directory,
                                        .home = options_.workspace,
                                        .trusted_programs = {path("scripts/check.sh")},
                                        .writes = true});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->protected_paths, ::testing::Contains(path("scripts/check.sh")));
}

TEST_F(TrustedProgramsTest, NoHookRunsWithContentThatNobodyReviewed) {
  put("scripts/check.sh", "exit 0\n");
  hook("sh scripts/check.sh");
  options_.reviewed_files = {{"scripts/check.sh", sha256_hex("exit 0\n")}};
  EXPECT_TRUE(call("ls", {{"path", "."}}).ok());
  put("scripts/check.sh", concat("touch ", path("ran"), "\n"));  // by another program
  EXPECT_THAT(error("ls", {{"path", "."}}).message,
              HasSubstr("scripts/check.sh is not what you reviewed any more"));
  EXPECT_FALSE(exists("ran"));
  put("scripts/check.sh", "exit 0\n");
  EXPECT_TRUE(call("ls", {{"path", "."}}).ok());
}

TEST_F(TrustedProgramsTest, NoHookFollowsASymlinkThatChanged) {
  put("scripts/good.sh", "exit 0\n");
  put("scripts/bad.sh", "exit 0\n");
  std::filesystem::create_symlink("good.sh", path("scripts/check.sh"));
  hook("sh scripts/check.sh");
  options_.reviewed_files = {{"scripts/good.sh", sha256_hex("exit 0\n")}};
  EXPECT_TRUE(call("ls", {{"path", "."}}).ok());
  std::filesystem::remove(path("scripts/check.sh"));
  std::filesystem::create_symlink("bad.sh", path("scripts/check.sh"));
  EXPECT_FALSE(call("ls", {{"path", "."}}).ok());
}

}  // namespace
}  // namespace helve
