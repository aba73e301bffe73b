// An index of what was done over all sessions and workspaces: which file was changed, which command ran, what
// was asked, when and in which session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "helve/error.h"

namespace helve::store {

// One thing that was done in a step of a session.
struct Deed {
  std::string kind = {};     // command, call, prompt, …
  std::string subject = {};  // the path or tool it is about
  std::string text = {};     // one line for people

  bool operator==(const Deed&) const = default;
};

struct HistoryEntry {
  std::uint64_t number = 0;  // grows
  std::string time = {};
  std::string workspace = {};
  std::string session = {};  // its id
  Deed deed = {};

  bool operator==(const HistoryEntry&) const = default;
};

// Everything that is set must fit.
struct HistoryFilter {
  std::string workspace = {};
  std::string query = {};  // words in subject or text, as in SnippetFilter; those with . or / as they are
  std::size_t most = 100;
};

// Part of a Store, and used like it. Steps of sessions fill it (SessionStep::deeds); with a session goes what
// the index knows of it.
class HistoryIndex {
 public:
  virtual ~HistoryIndex() = default;

  // Newest first.
  [[nodiscard]] virtual Expected<std::vector<HistoryEntry>> find(const HistoryFilter& filter) = 0;
};

}  // namespace helve::store
