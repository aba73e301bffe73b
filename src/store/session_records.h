// The interface for recorded agent sessions, which can be continued after a crash, and for the index of their
// actions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"

namespace helve::store {

inline constexpr std::size_t kMaxEventBody = std::size_t{64} << 20;  // bytes

struct SessionRecord {
  std::string id = {};
  std::string title = {};
  std::string workspace = {};
  std::string model = {};
  Json state = {};  // whatever the agent needs to continue
  std::string created = {};
  std::string updated = {};
  std::uint64_t last_seq = 0;  // of the newest event; 0 without events

  bool operator==(const SessionRecord&) const = default;
};

struct SessionDraft {
  std::string id = {};  // letters, digits, _ and -; generated when empty
  std::string title = {};
  std::string workspace = {};
  std::string model = {};
  Json state = JsonObject();
};

struct EventDraft {
  std::string kind = {};  // user, assistant, tool, …; not interpreted by the store
  std::string body = {};  // stored byte for byte: model APIs expect their messages back unchanged
};

struct SessionEvent {
  std::uint64_t seq = 0;  // 1, 2, 3 … without gaps
  std::string time = {};
  std::string kind = {};
  std::string body = {};

  bool operator==(const SessionEvent&) const = default;
};

// An action in a step of a session, for the history index.
struct Action {
  std::string kind = {};     // command, call, prompt, …
  std::string subject = {};  // the affected path or tool
  std::string text = {};     // one line for the user

  bool operator==(const Action&) const = default;
};

// A step of a session, applied atomically.
struct SessionStep {
  std::vector<EventDraft> events = {};
  std::vector<Action> actions = {};  // for the history index
  // The last event that the writer knows. If another process has continued the session, the step fails with
  // CONFLICT, so a session never forks.
  std::optional<std::uint64_t> after_seq = {};
  std::optional<std::string> title = {};
  std::optional<std::string> model = {};
  std::optional<Json> state = {};
};

struct SessionFilter {
  std::string workspace = {};  // empty: all workspaces
  std::string query = {};      // substring of the title or the id
  std::size_t most = 50;
  std::size_t skip = 0;
};

struct SessionList {
  std::vector<SessionRecord> sessions = {};  // most recent step first; without `state`
  std::size_t total = 0;
};

// Part of a Store, with the same thread rules. Writes are on disk when the function returns.
class SessionRecords {
 public:
  virtual ~SessionRecords() = default;

  // Fails with CONFLICT when the id is taken.
  [[nodiscard]] virtual Expected<SessionRecord> create(const SessionDraft& draft) = 0;
  // Applies the step and returns the updated record. NOT_FOUND suggests the nearest id.
  [[nodiscard]] virtual Expected<SessionRecord> append(std::string_view id, const SessionStep& step) = 0;
  [[nodiscard]] virtual Expected<SessionRecord> load(std::string_view id) = 0;
  // Events after `after_seq`, in order: at most `most` and about `max_bytes`, but at least one if there is
  // one. To read on, pass the seq of the last event.
  [[nodiscard]] virtual Expected<std::vector<SessionEvent>> events(std::string_view id,
                                                                   std::uint64_t after_seq = 0,
                                                                   std::size_t most = 1000,
                                                                   std::size_t max_bytes = std::size_t{64}
                                                                                           << 20) = 0;
  [[nodiscard]] virtual Expected<SessionList> list(const SessionFilter& filter) = 0;
  // Removes the session with its events and its entries in the history index.
  [[nodiscard]] virtual Expected<void> remove(std::string_view id) = 0;
};

struct HistoryEntry {
  std::uint64_t number = 0;  // increasing
  std::string time = {};
  std::string workspace = {};
  std::string session = {};  // session id
  Action action = {};

  bool operator==(const HistoryEntry&) const = default;
};

// All set members must match.
struct HistoryFilter {
  std::string workspace = {};
  // Words in subject or text, as in SnippetFilter. Words with . or / must occur literally.
  std::string query = {};
  std::size_t most = 100;
};

// Searches the actions of all sessions and workspaces. Filled by SessionStep::actions; removing a session
// removes its entries. Part of a Store, with the same thread rules.
class HistoryIndex {
 public:
  virtual ~HistoryIndex() = default;

  // Newest first.
  [[nodiscard]] virtual Expected<std::vector<HistoryEntry>> find(const HistoryFilter& filter) = 0;
};

}  // namespace helve::store
