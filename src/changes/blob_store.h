// Content-addressed storage for the bytes that the history keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/file_write.h"

namespace helve::changes {

// In one directory, NAME (a hash) is the content and NAME.OWNER a hard link to it for each change set that
// needs it. The file system counts the owners, so no lock is needed: content that one process drops while
// another adds it stays with the new owner. The directory handle must outlive the store. Thread-safe and
// process-safe.
class BlobStore {
 public:
  enum class Need {
    kDurable,     // synced as the durability asks
    kBestEffort,  // not worth waiting for the disk
  };

  explicit BlobStore(int directory) : directory_(directory) {}

  struct Stored {
    std::string name;
    bool is_new = false;  // no other owner has the same content
  };
  // Keeps the content for an owner. sync() must follow before it is relied on.
  [[nodiscard]] Expected<Stored> put(std::span<const std::string_view> content, std::string_view owner,
                                     Need need, workspace::Durability durability) const;
  // Returns 0 or the error number.
  [[nodiscard]] int sync(workspace::Durability durability) const;

  // NOT_FOUND when the store does not have it, EXECUTION_FAILED when it is damaged.
  [[nodiscard]] Expected<std::string> get(const std::string& name, std::string_view owner,
                                          std::uint64_t size) const;

  void release(const std::string& name, std::string_view owner) const;

  // For cleaning up after a crash: lists all owners; removes everything these owners hold, and all content
  // without an owner.
  [[nodiscard]] std::vector<std::string> owners() const;
  void release_all(std::span<const std::string> owners) const;

 private:
  [[nodiscard]] std::vector<std::string> names() const;
  void drop_unowned(const std::string& name) const;

  int directory_;
};

}  // namespace helve::changes
