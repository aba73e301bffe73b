#include "model/api_keys.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/strings.h"
#include "base/test_directory.h"

namespace helve::model {
namespace {

class KeysTest : public ::testing::Test {
 public:
  void write(std::string_view text, mode_t mode = 0600) const {
    std::ofstream(file_) << text;
    ASSERT_EQ(::chmod(file_.c_str(), mode), 0);
  }
  [[nodiscard]] Expected<Key> find(const std::string& name) const {
    return find_key(
        name,
        [this](const char* wanted) { return std::string_view(wanted) == "SET" ? variable_ : std::string(); },
        file_);
  }

  TestDirectory directory_;
  std::string file_ = directory_.at("keys");
  std::string variable_ = " from-variable\n";
};

TEST_F(KeysTest, PrefersTheVariableOverTheFile) {
  write("SET=from-file\nOTHER=other\n");
  EXPECT_EQ(find("SET")->value, "from-variable");
  EXPECT_EQ(find("SET")->source, "the variable SET");
  EXPECT_EQ(find("OTHER")->value, "other");
  EXPECT_EQ(find("OTHER")->source, concat("OTHER in ", file_));
}

TEST_F(KeysTest, ReadsAllLineFormats) {
  write("# mine\n\nA = a b \r\nexport B=\"b\"\nC='c=d'\nAB=ab\nD=\n");
  EXPECT_EQ(find("A")->value, "a b");
  EXPECT_EQ(find("B")->value, "b");
  EXPECT_EQ(find("C")->value, "c=d");
  EXPECT_EQ(find("AB")->value, "ab");
  EXPECT_EQ(find("D")->value, "");
  EXPECT_EQ(find("E")->value, "");
  EXPECT_EQ(find("# mine")->value, "");
}

TEST_F(KeysTest, AMissingFileIsNotAnError) { EXPECT_EQ(find("A")->value, ""); }

TEST_F(KeysTest, RefusesAFileThatOtherUsersCanRead) {
  for (const mode_t mode : {0640, 0604, 0660, 0601}) {
    write("A=secret-value\n", mode);
    const auto key = find("A");
    ASSERT_FALSE(key);
    EXPECT_EQ(key.error().code, ErrorCode::kSecurity);
    EXPECT_EQ(key.error().message, concat("Other users can read ", file_, ", so its keys are not used"));
    EXPECT_TRUE(key.error().hint.starts_with(concat("Run chmod 600 ", file_))) << key.error().hint;
    EXPECT_FALSE(to_text(key.error().to_json()).contains("secret-value"));
  }
}

TEST_F(KeysTest, RefusesSpecialFilesWithoutBlocking) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  const auto key = find("A");
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().message, concat(file_, " is not a regular file"));
}

}  // namespace
}  // namespace helve::model
