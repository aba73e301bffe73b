#include "process/launcher_protocol.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace helve::process {
namespace {

Launch full_launch() {
  Launch launch;
  launch.argv = {"/bin/sh", "-c", "echo \"a\nb\" é", ""};
  launch.environment = {"A=1", "B="};
  launch.directory = "/work space";
  launch.terminal = true;
  launch.usual_descriptors = 1024;
  launch.cgroups = {"/sys/fs/cgroup/x"};
  launch.plan.level = sandbox::Level::kReadOnly;
  launch.plan.workspace = "/w";
  launch.plan.writable = {"/x", "/y"};
  launch.plan.visible = {"/z"};
  launch.plan.protected_paths = {"/w/.git"};
  launch.plan.pinned = {"/w"};
  launch.plan.hidden = {"/secret"};
  launch.plan.temporary = "/t";
  launch.plan.network = true;
  launch.plan.limits = {.processes = 1,
                        .memory_bytes = 2,
                        .open_files = 3,
                        .file_bytes = 4,
                        .cpu_seconds = 5,
                        .in_cgroup = true};
  launch.plan.may_lack = {sandbox::Part::kUserNamespace, sandbox::Part::kCgroup};
  return launch;
}

TEST(LaunchPlan, SurvivesARoundTrip) {
  const std::string bytes = encode_launch(full_launch());
  const auto decoded = decode_launch(bytes);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(encode_launch(*decoded), bytes);
  EXPECT_EQ(decoded->argv, full_launch().argv);
  EXPECT_EQ(decoded->plan.hidden, full_launch().plan.hidden);
  EXPECT_EQ(decoded->plan.may_lack, full_launch().plan.may_lack);
  EXPECT_EQ(decoded->plan.level, sandbox::Level::kReadOnly);
  EXPECT_EQ(decoded->plan.limits.cpu_seconds, 5U);
  EXPECT_TRUE(decoded->plan.network);
}

TEST(LaunchPlan, RefusesEveryTruncationAndExtension) {
  const std::string bytes = encode_launch(full_launch());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_launch(std::string_view(bytes).substr(0, size))) << size;
  EXPECT_FALSE(decode_launch(bytes + "x"));
}

TEST(LaunchPlan, DamagedBytesNeverCrash) {
  const std::string bytes = encode_launch(full_launch());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      const auto decoded = decode_launch(damaged);
      if (!decoded) continue;
      EXPECT_EQ(encode_launch(*decoded), damaged) << "every accepted plan encodes to the same bytes";
    }
  }
}

TEST(LaunchPlan, IsStoredInASealedFile) {
  const auto fd = seal_launch(full_launch());
  ASSERT_TRUE(fd);
  EXPECT_LT(::pwrite(fd->get(), "x", 1, 0), 0);
  EXPECT_NE(::ftruncate(fd->get(), 0), 0);
  const auto read = read_sealed_launch(fd->get());
  ASSERT_TRUE(read);
  EXPECT_EQ(encode_launch(*read), encode_launch(full_launch()));
}

TEST(LaunchPlan, RefusesAnUnsealedFile) {
  std::FILE* file = std::tmpfile();
  const auto read = read_sealed_launch(::fileno(file));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "The launcher was started without a plan.");
  std::fclose(file);
}

TEST(LaunchPlan, RefusesANulCharacter) {
  Launch launch = full_launch();
  launch.argv.back() = std::string("a\0b", 3);
  const auto fd = seal_launch(launch);
  ASSERT_FALSE(fd);
  EXPECT_EQ(fd.error().message, "The command contains a NUL character.");
}

TEST(LauncherMessage, AnErrorSurvivesARoundTrip) {
  const Error error{ErrorCode::kNotFound, "There is no é", "Look elsewhere."};
  EXPECT_EQ(error_of(failure_message(error)), error);
}

TEST(LauncherMessage, LongTextsAreCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "é";
  const Error back = error_of(failure_message({ErrorCode::kTimeout, text, text}));
  EXPECT_EQ(back.message.size() % 2, 0U);
  EXPECT_GT(back.message.size(), 1000U);
  EXPECT_TRUE(text.starts_with(back.hint));
}

TEST(LauncherMessage, PartsAreBits) {
  const std::vector<sandbox::Part> parts = {sandbox::Part::kUserNamespace, sandbox::Part::kSeccomp,
                                            sandbox::Part::kCgroup};
  EXPECT_EQ(parts_of(part_bits(parts)), parts);
  EXPECT_EQ(parts_of(0), std::vector<sandbox::Part>{});
}

}  // namespace
}  // namespace helve::process
