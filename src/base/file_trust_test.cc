#include "base/file_trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test_directory.h"

namespace helve {
namespace {

TEST(FileTrust, AFileThatOthersCanWriteDoesNotPass) {
  const TestDirectory directory;
  directory.write("file", "x");
  const std::string path = directory.at("file");
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  EXPECT_TRUE(check_writers(path));
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  const auto refused = check_writers(path);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kSecurity);
  EXPECT_EQ(refused.error().message, path + " is writable by everyone.");
  EXPECT_THAT(refused.error().hint, ::testing::HasSubstr("chmod go-w " + path));
}

TEST(FileTrust, AFileThatAGroupCanWriteDoesNotPass) {
  constexpr gid_t kOther = 54'321;
  const TestDirectory directory;
  directory.write("file", "x");
  const std::string path = directory.at("file");
  if (::chown(path.c_str(), static_cast<uid_t>(-1), kOther) != 0)
    GTEST_SKIP() << "needs the right to change the group of a file";
  ASSERT_EQ(::chmod(path.c_str(), 0664), 0);
  const auto refused = check_writers(path);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().hint, ::testing::HasSubstr("chmod g-w " + path));
}

TEST(FileTrust, AFileThatOthersCanReplaceDoesNotPass) {
  const TestDirectory directory;
  directory.write("open/inner/file", "x");
  const std::string path = directory.at("open/inner/file");
  EXPECT_TRUE(check_writers(path));
  ASSERT_EQ(::chmod(directory.at("open").c_str(), 0777), 0);
  const auto refused = check_writers(path);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, directory.at("open") + " is writable by everyone.");
  // There, only the owner of a file can replace it.
  ASSERT_EQ(::chmod(directory.at("open").c_str(), 01777), 0);
  EXPECT_TRUE(check_writers(path));
  ASSERT_EQ(::chmod(directory.at("open").c_str(), 0777), 0);
  directory.link(path, "link");
  EXPECT_FALSE(check_writers(directory.at("link")));
}

TEST(FileTrust, AnotherUsersFileDoesNotPass) {
  const TestDirectory directory;
  directory.write("place/file", "x");
  const std::string path = directory.at("place/file");
  if (::chown(path.c_str(), 54'321, static_cast<gid_t>(-1)) != 0)
    GTEST_SKIP() << "needs the right to change the owner of a file";
  const auto refused = check_writers(path);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("belongs to another user (id 54321, not "));
  ASSERT_EQ(::chown(path.c_str(), ::geteuid(), static_cast<gid_t>(-1)), 0);
  ASSERT_EQ(::chown(directory.at("place").c_str(), 54'321, static_cast<gid_t>(-1)), 0);
  EXPECT_FALSE(check_writers(path)) << "the owner of the directory can replace it";
}

TEST(FileTrust, AnotherUsersDirectoryDoesNotPass) {
  const TestDirectory directory;
  EXPECT_TRUE(check_own_directory(directory.at("missing")));
  ASSERT_EQ(::mkdir(directory.at("own").c_str(), 0700), 0);
  EXPECT_TRUE(check_own_directory(directory.at("own")));
  if (::chown(directory.at("own").c_str(), 54'321, static_cast<gid_t>(-1)) != 0)
    GTEST_SKIP() << "needs the right to change the owner of a file";
  const auto refused = check_own_directory(directory.at("own"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("belongs to another user (id 54321, not "));
  EXPECT_THAT(refused.error().hint, ::testing::HasSubstr("chmod 700 "));
}

}  // namespace
}  // namespace helve
