// An index of what was done over all sessions and workspaces: which file was changed, which command ran, what
// was asked, when and in which session.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

namespace helve::store {

struct HistoryEntry {
  std::uint64_t number = 0;  // given by the index; grows
  std::string time = {};     // given by the index
  std::string workspace = {};
  std::string session = {};  // its id; it need not be in the store
  std::string kind = {};     // change, command, prompt, …
  std::string subject = {};  // the path, program or tool it is about
  std::string text = {};     // one line for people

  bool operator==(const HistoryEntry&) const = default;
};

// Everything that is set must fit.
struct HistoryFilter {
  std::string workspace = {};
  std::string session = {};
  std::string kind = {};
  std::string subject = {};  // exactly
  std::string query = {};    // words in subject or text, as in SnippetFilter
  std::uint64_t before = 0;  // entries with smaller numbers only, to go on from the last list
  std::size_t most = 100;
};

// Part of a Store, and used like it.
class HistoryIndex {
 public:
  virtual ~HistoryIndex() = default;

  // All or none; numbers and times in the drafts do not matter. Returns the number of the last.
  [[nodiscard]] virtual Expected<std::uint64_t> add(std::span<const HistoryEntry> entries) = 0;
  // Newest first.
  [[nodiscard]] virtual Expected<std::vector<HistoryEntry>> find(const HistoryFilter& filter) = 0;
  // Forgets what is older than all but the newest `keep`; returns how many that were.
  [[nodiscard]] virtual Expected<std::size_t> prune(std::size_t keep) = 0;
  [[nodiscard]] virtual Expected<std::size_t> forget_session(std::string_view session) = 0;
};

}  // namespace helve::store
