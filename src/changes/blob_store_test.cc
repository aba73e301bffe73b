#include "changes/blob_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/file_io.h"
#include "base/test_directory.h"

namespace helve::changes {
namespace {

class BlobStoreTest : public ::testing::Test {
 protected:
  BlobStoreTest() : fd_(::open(directory_.path().c_str(), O_RDONLY | O_DIRECTORY)), store_(fd_.get()) {}

  BlobStore::Stored put(std::string_view content, std::string_view owner) const {
    return std::move(
        *store_.put(std::span(&content, 1), owner, BlobStore::Need::kDurable, workspace::Durability::kFull));
  }

  TestDirectory directory_;
  UniqueFd fd_;
  BlobStore store_;
};

TEST_F(BlobStoreTest, KeepsEachContentOnceForAllItsOwners) {
  const auto one = put("content", "a");
  const auto two = put("content", "b");
  EXPECT_TRUE(one.is_new);
  EXPECT_FALSE(two.is_new);
  EXPECT_EQ(one.name, two.name);
  EXPECT_EQ(std::filesystem::hard_link_count(directory_.at(one.name)), 3U);
  store_.release(one.name, "a");
  EXPECT_EQ(store_.get(one.name, "b", 7), "content");
  EXPECT_EQ(store_.get(one.name, "a", 7).error().code, ErrorCode::kNotFound);
  store_.release(one.name, "b");
  EXPECT_EQ(directory_.names().size(), 0U);
}

TEST_F(BlobStoreTest, DetectsDamageAndStoresTheContentAgain) {
  const auto blob = put("content", "a");
  directory_.write(blob.name, "CONTENT");  // all links share it
  EXPECT_EQ(store_.get(blob.name, "a", 7).error().message,
            "The history is damaged: stored content does not match its hash.");
  EXPECT_TRUE(put("content", "b").is_new);
  EXPECT_EQ(store_.get(blob.name, "b", 7), "content");
}

TEST_F(BlobStoreTest, ReleasesAllContentOfAnOwner) {
  const auto shared = put("shared", "a");
  static_cast<void>(put("shared", "b"));
  static_cast<void>(put("own", "a"));
  EXPECT_EQ(store_.owners(), (std::vector<std::string>{"a", "b"}));
  const std::vector<std::string> gone{"a"};
  store_.release_all(gone);
  EXPECT_EQ(store_.owners(), (std::vector<std::string>{"b"}));
  EXPECT_EQ(store_.get(shared.name, "b", 6), "shared");
  EXPECT_EQ(directory_.names().size(), 2U);
}

}  // namespace
}  // namespace helve::changes
