// Bytes that the history keeps, each content once, under its hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/durability.h"

namespace helve {

// In one directory: NAME is the content, and NAME.OWNER a second link to it for each change set that needs
// it. So the file system counts the owners; no lock is needed, and a content that is being dropped here and
// wanted there stays with whoever wants it. The directory's handle must outlive it; may be used from all
// threads and processes at once.
class BlobStore {
 public:
  enum class Need {
    kSafe,        // as safe as the durability asks
    kConvenient,  // good to have, but no reason to wait for the disk
  };

  explicit BlobStore(int directory) : directory_(directory) {}

  struct Stored {
    std::string name;
    bool is_new = false;  // nobody else has the same content
  };
  // Keeps the content for an owner. sync() must follow before it is relied on.
  [[nodiscard]] Expected<Stored> put(std::span<const std::string_view> content, std::string_view owner,
                                     Need need, Durability durability) const;
  // Returns 0 or the error number.
  [[nodiscard]] int sync(Durability durability) const;

  // NOT_FOUND when it is not kept, EXECUTION_FAILED when it is damaged.
  [[nodiscard]] Expected<std::string> get(const std::string& name, std::string_view owner,
                                          std::uint64_t size) const;

  // The owner needs it no more.
  void release(const std::string& name, std::string_view owner) const;

  // For cleaning up after a crash: all owners found, and removal of all that one owner holds and of contents
  // without any.
  [[nodiscard]] std::vector<std::string> owners() const;
  void release_all(std::span<const std::string> owners) const;

 private:
  [[nodiscard]] std::vector<std::string> names() const;
  void drop_unowned(const std::string& name) const;

  int directory_;
};

}  // namespace helve
