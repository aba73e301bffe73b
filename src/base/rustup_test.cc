#include "base/rustup.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/test_directory.h"

namespace helve {
namespace {

class RustupTest : public testing::Test {
 public:
  RustupTest() {
    ::setenv("RUSTUP_HOME", directory_.at("rustup").c_str(), 1);
    program("bin/rustup");
    std::filesystem::create_symlink("rustup", directory_.at("bin/rust-analyzer"));
    std::filesystem::create_hard_link(directory_.at("bin/rustup"), directory_.at("bin/rustfmt"));
  }
  ~RustupTest() override { ::unsetenv("RUSTUP_HOME"); }
  std::string program(const std::string& name) {
    directory_.write(name, "#!/bin/sh\n");
    std::filesystem::permissions(directory_.at(name), std::filesystem::perms::owner_all);
    return directory_.at(name);
  }
  TestDirectory directory_;
};

TEST_F(RustupTest, AToolThatNoToolchainHasIsNotThere) {
  EXPECT_EQ(behind_rustup(directory_.at("bin/rust-analyzer")), std::nullopt);
  EXPECT_EQ(behind_rustup(directory_.at("bin/rustfmt")), std::nullopt);
  program("rustup/toolchains/stable/bin/cargo");
  EXPECT_EQ(behind_rustup(directory_.at("bin/rust-analyzer")), std::nullopt);
}

TEST_F(RustupTest, TheDefaultToolchainComesFirst) {
  const std::string stable = program("rustup/toolchains/stable/bin/rustfmt");
  EXPECT_EQ(behind_rustup(directory_.at("bin/rustfmt")), stable);
  const std::string nightly = program("rustup/toolchains/nightly/bin/rustfmt");
  EXPECT_EQ(behind_rustup(directory_.at("bin/rustfmt")), stable);
  directory_.write("rustup/settings.toml", "version = \"12\"\ndefault_toolchain = \"nightly\"\n");
  EXPECT_EQ(behind_rustup(directory_.at("bin/rustfmt")), nightly);
}

TEST_F(RustupTest, OtherProgramsAreThemselves) {
  const std::string other = program("other/rust-analyzer");
  EXPECT_EQ(behind_rustup(other), other);
}

}  // namespace
}  // namespace helve
