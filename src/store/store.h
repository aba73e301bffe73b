// What Helve keeps for its users beyond files: snippets, sessions, and the index of what was done.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/history_index.h"
#include "store/session_records.h"
#include "store/snippets.h"

namespace helve::store {

struct StoreHealth {
  std::vector<std::string> problems = {};  // empty when it is sound
  std::int64_t version = 0;                // of the tables
  std::size_t snippets = 0;
  std::size_t sessions = 0;
  std::size_t bytes = 0;  // on the disk
};

// Shared by all calls of a runtime; all functions may be used from all threads. Other processes may use the
// same store at the same time. Tests for every kind of store are in store_test.cc.
class Store {
 public:
  virtual ~Store() = default;

  [[nodiscard]] virtual Snippets& snippets() = 0;
  [[nodiscard]] virtual SessionRecords& sessions() = 0;
  [[nodiscard]] virtual HistoryIndex& history() = 0;

  // Looks through everything.
  [[nodiscard]] virtual Expected<StoreHealth> check() = 0;
  // Writes a copy of everything as of this moment to the path, or to one of its own choice when it is empty.
  // Returns where it is. CONFLICT when there is such a file.
  [[nodiscard]] virtual Expected<std::string> back_up(const std::string& path = {}) = 0;
};

}  // namespace helve::store
