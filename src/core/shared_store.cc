#include "core/shared_store.h"

#include "base/strings.h"
#include "store/sqlite_store.h"

namespace helve::core {

Expected<store::Store*> SharedStore::open() {
  const std::lock_guard guard(mutex_);
  if (!store_) {
    auto opened = store::open_sqlite_store({.directory = directory_});
    if (!opened) return fail(std::move(opened).error());
    store_ = *std::move(opened);
  }
  return store_.get();
}

std::string store_directory(const std::string& data_directory) { return concat(data_directory, "/store"); }

}  // namespace helve::core
