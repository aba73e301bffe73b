// The store of a runtime, opened on first use because most runs never need it.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "store/store.h"

namespace helve::core {

// Owned by the engines; may be used from all threads.
class SharedStore {
 public:
  explicit SharedStore(std::string directory) : directory_(std::move(directory)) {}

  // Opens it on the first call, and again after a failure.
  [[nodiscard]] Expected<store::Store*> open();
  [[nodiscard]] const std::string& directory() const { return directory_; }

 private:
  const std::string directory_;
  std::mutex mutex_;
  std::unique_ptr<store::Store> store_;
};

// The store's directory in the user's data directory. Jobs cannot see it.
[[nodiscard]] std::string store_directory(const std::string& data_directory);

}  // namespace helve::core
