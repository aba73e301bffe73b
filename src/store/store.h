// The interface of Helve's store: snippets, sessions and the history index.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/session_records.h"
#include "store/snippets.h"

namespace helve::store {

struct StoreHealth {
  std::vector<std::string> problems = {};  // empty: no damage found
  std::int64_t version = 0;                // schema version
  std::size_t snippets = 0;
  std::size_t sessions = 0;
  std::size_t bytes = 0;  // on the disk
};

// Shared by all calls of a runtime; every function may be called from any thread. Other processes may use the
// same store at the same time. Every implementation must pass store_test.cc.
class Store {
 public:
  virtual ~Store() = default;

  [[nodiscard]] virtual Snippets& snippets() = 0;
  [[nodiscard]] virtual SessionRecords& sessions() = 0;
  [[nodiscard]] virtual HistoryIndex& history() = 0;

  // Checks the whole store for damage.
  [[nodiscard]] virtual Expected<StoreHealth> check() = 0;
  // Writes a consistent copy of the store to `path`, or to the backup directory when it is empty. Returns the
  // path. Fails with CONFLICT when the file exists.
  [[nodiscard]] virtual Expected<std::string> back_up(const std::string& path = {}) = 0;
};

}  // namespace helve::store
