#include "cli/doctor_programs.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/environment.h"
#include "base/strings.h"
#include "base/test_directory.h"
#include "helve/settings.h"

namespace helve::cli {
namespace {

namespace fs = std::filesystem;
using State = Finding::State;

class DoctorProgramsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("PATH", directory_.c_str(), 1);
    ::unsetenv("VISUAL");
    ::unsetenv("EDITOR");
  }
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }

  void install(const std::string& name) {
    std::ofstream(directory_ / name) << "#!/bin/sh\n";
    fs::permissions(directory_ / name, fs::perms::owner_all);
  }

  static const Finding* about(const std::vector<Finding>& findings, std::string_view word) {
    const auto it = std::ranges::find_if(
        findings, [&](const Finding& finding) { return finding.what.find(word) != std::string::npos; });
    return it == findings.end() ? nullptr : &*it;
  }

  TestDirectory temporary_;
  fs::path directory_ = temporary_.path();
  const std::string path_ = environment_variable("PATH");
};

TEST_F(DoctorProgramsTest, WhatIsMissingComesWithItsUseAndItsInstallCommand) {
  for (const std::string name : {"bash", "git", "rg", "vi"}) {
    const std::vector<Finding> findings = check_programs({});
    const Finding* finding = about(findings, concat(name, " is not installed: "));
    ASSERT_NE(finding, nullptr) << name;
    EXPECT_EQ(finding->state, State::kMissing);
    EXPECT_TRUE(finding->install.starts_with("apt install ")) << finding->install;
    EXPECT_EQ(finding->remedy, finding->install);
    EXPECT_EQ(finding->program, name);
  }
}

TEST_F(DoctorProgramsTest, WhatIsThereIsNamedWithItsPlace) {
  install("git");
  const std::vector<Finding> findings = check_programs({});
  const Finding* git = about(findings, "git (");
  ASSERT_NE(git, nullptr);
  EXPECT_EQ(git->state, State::kGood);
  EXPECT_EQ(git->program, (directory_ / "git").string());
}

TEST_F(DoctorProgramsTest, RipgrepIsMoreThanOptionalWhenTheSettingsWantIt) {
  Settings settings;
  settings.search.engine = SearchEngine::kRipgrep;
  const std::vector<Finding> findings = check_programs(settings.search);
  const Finding* ripgrep = about(findings, "rg is not installed");
  ASSERT_NE(ripgrep, nullptr);
  EXPECT_EQ(ripgrep->state, State::kWarning);
  EXPECT_EQ(ripgrep->remedy,
            "apt install ripgrep, or set search.engine to auto; until then Helve's own search is used");
}

TEST_F(DoctorProgramsTest, ReportsAnEditorThatIsSetButNotInstalled) {
  ::setenv("EDITOR", "code --wait", 1);
  const std::vector<Finding> findings = check_programs({});
  const Finding* editor = about(findings, "$EDITOR is code");
  ASSERT_NE(editor, nullptr);
  EXPECT_EQ(editor->state, State::kMissing);
  EXPECT_EQ(editor->remedy, "Set EDITOR to an installed editor.");
}

TEST_F(DoctorProgramsTest, OneServerPerLanguageIsEnough) {
  const fs::path workspace = directory_ / "workspace";
  fs::create_directory(workspace);
  const std::vector<Finding> without = check_language_servers(workspace, {});
  const Finding* python = about(without, "python: no language server");
  ASSERT_NE(python, nullptr);
  EXPECT_EQ(python->state, State::kMissing);
  EXPECT_EQ(python->install, "npm install -g pyright");
  install("pylsp");
  const std::vector<Finding> with = check_language_servers(workspace, {});
  EXPECT_EQ(about(with, "python: no language server"), nullptr);
  const Finding* found = about(with, "python: pylsp (");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->state, State::kGood);
  EXPECT_EQ(with.size(), without.size());
}

TEST_F(DoctorProgramsTest, OneFormatterAndOneLinterPerLanguageAreEnough) {
  const std::vector<Finding> without = check_checkers();
  const Finding* python = about(without, "python: no linter; lint_code needs one");
  ASSERT_NE(python, nullptr);
  EXPECT_EQ(python->state, State::kMissing);
  EXPECT_EQ(python->subject, "linter");
  EXPECT_EQ(python->install, "pip install pylint (Debian: apt install pylint)");
  ASSERT_NE(about(without, "python: no formatter"), nullptr);
  install("flake8");
  const std::vector<Finding> with = check_checkers();
  EXPECT_EQ(about(with, "python: no linter"), nullptr);
  const Finding* found = about(with, "python: flake8 (");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->state, State::kGood);
  EXPECT_NE(about(with, "python: no formatter"), nullptr);
  EXPECT_EQ(with.size(), without.size());
}

TEST_F(DoctorProgramsTest, ServersOfTheSettingsNeedTheirPrograms) {
  Settings settings;
  settings.mcp_servers["files"].command = "npx";
  settings.mcp_servers["site"].url = "https://example.org/mcp";
  const std::vector<Finding> findings = check_mcp_programs(settings.mcp_servers);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings.front().what, "files needs npx, which is not installed");
  EXPECT_EQ(findings.front().state, State::kWarning);
  install("npx");
  EXPECT_TRUE(check_mcp_programs(settings.mcp_servers).empty());
}

}  // namespace
}  // namespace helve::cli
