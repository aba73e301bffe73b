// The store of a runtime, opened when it is first needed: most runs never do.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "store/store.h"

namespace helve {

// Owned by the engines; may be used from all threads.
class SharedStore {
 public:
  explicit SharedStore(std::string directory) : directory_(std::move(directory)) {}

  // Opens it the first time, and again after that has failed.
  [[nodiscard]] Expected<store::Store*> open();
  [[nodiscard]] const std::string& directory() const { return directory_; }

 private:
  const std::string directory_;
  std::mutex mutex_;
  std::unique_ptr<store::Store> store_;
};

// Where the store lies in the directory of the user's data. A directory of its own, which commands cannot
// see.
[[nodiscard]] std::string store_directory(const std::string& data_directory);

}  // namespace helve
