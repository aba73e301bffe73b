// What the tests of whole walls share: a workspace, and every test as root and as an ordinary user.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "sandbox/testing.h"

namespace helve::sandbox {

enum class Who { kRoot, kOrdinaryUser };

inline std::string name_of(const testing::TestParamInfo<Who>& info) {
  return info.param == Who::kRoot ? "AsRoot" : "AsOrdinaryUser";
}

// A directory of its own per test, owned by the one who runs the command, gone afterwards.
class WallsTest : public testing::TestWithParam<Who> {
 protected:
  void SetUp() override {
    if (GetParam() == Who::kRoot && ::geteuid() != 0) GTEST_SKIP() << "needs root";
    std::string pattern = std::filesystem::temp_directory_path() / "helve-walls-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    base_ = std::filesystem::canonical(pattern);
    ::chmod(base_.c_str(), 0755);
    for (const char* name : {"workspace", "outside", "temporary"}) make(name);
    plan_.workspace = at("workspace");
  }
  void TearDown() override {
    std::error_code ignored;
    if (!base_.empty()) std::filesystem::remove_all(base_, ignored);
  }

  [[nodiscard]] std::string at(std::string_view name) const { return base_ + "/" + std::string(name); }
  void own(const std::string& path) const {
    if (::geteuid() != 0 || GetParam() != Who::kOrdinaryUser) return;
    ASSERT_EQ(::lchown(path.c_str(), kNobody, kNobody), 0) << path;
  }
  void make(std::string_view name) const {
    std::string path = base_;
    for (const std::string_view piece : split(name, '/')) {
      path += concat("/", piece);
      if (std::filesystem::create_directory(path)) own(path);
    }
  }
  void write(std::string_view name, std::string_view text) const {
    make(std::filesystem::path(name).parent_path().string());
    std::ofstream(at(name), std::ios::binary) << text;
    own(at(name));
  }
  [[nodiscard]] std::string read(std::string_view name) const {
    std::ifstream in(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] bool exists(std::string_view name) const {
    return std::filesystem::exists(std::filesystem::symlink_status(at(name)));
  }

  [[nodiscard]] Launch launch() const { return {.as_ordinary_user = GetParam() == Who::kOrdinaryUser}; }
  Outcome shell(const std::string& script) const { return run_shell(plan_, script, launch()); }
  // The script must end well; its output comes back.
  std::string good(const std::string& script) const {
    const Outcome outcome = shell(script);
    EXPECT_EQ(outcome.exit_code, 0) << script << "\n" << outcome.output;
    return outcome.output;
  }
  // The script must fail, and not because the walls could not be built.
  void refused(const std::string& script) const {
    const Outcome outcome = shell(script);
    EXPECT_NE(outcome.exit_code, 0) << script << "\n" << outcome.output;
    EXPECT_NE(outcome.exit_code, kNotLaunched) << script << "\n" << outcome.output;
  }

  std::string base_;
  Plan plan_;
};

#define HELVE_WALLS_TEST_AS_BOTH(suite) \
  INSTANTIATE_TEST_SUITE_P(Users, suite, testing::Values(Who::kRoot, Who::kOrdinaryUser), name_of)

}  // namespace helve::sandbox
