// The record of an agent's sessions: what was said and done, event by event, so that a session can go on
// after its program has ended in whatever way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"
#include "store/history_index.h"

namespace helve::store {

inline constexpr std::size_t kMaxEventBody = std::size_t{64} << 20;  // bytes

struct SessionRecord {
  std::string id = {};
  std::string title = {};
  std::string workspace = {};
  std::string model = {};
  Json state = {};  // whatever the agent needs to go on: pending approvals, counters, settings
  std::string created = {};
  std::string updated = {};
  std::uint64_t last_seq = 0;  // of its newest event; 0 when there is none

  bool operator==(const SessionRecord&) const = default;
};

struct SessionDraft {
  std::string id = {};  // letters, digits, _ and -; made up when empty
  std::string title = {};
  std::string workspace = {};
  std::string model = {};
  Json state = JsonObject();
};

struct EventDraft {
  std::string kind = {};  // user, assistant, tool, …; the store does not care
  std::string body = {};  // kept byte for byte: models want their messages back as they sent them
};

struct SessionEvent {
  std::uint64_t seq = 0;  // 1, 2, 3 … without gaps
  std::string time = {};
  std::string kind = {};
  std::string body = {};

  bool operator==(const SessionEvent&) const = default;
};

// A step of a session. All of it happens, or nothing.
struct SessionStep {
  std::vector<EventDraft> events = {};
  std::vector<Deed> deeds = {};  // for the index
  // Where the writer believes the session to be. When another process took it further meanwhile, the step is
  // refused with CONFLICT, so that no session goes two ways.
  std::optional<std::uint64_t> after_seq = {};
  std::optional<std::string> title = {};
  std::optional<std::string> model = {};
  std::optional<Json> state = {};
};

struct SessionFilter {
  std::string workspace = {};  // empty: of all
  std::string query = {};      // text in the title or the id
  std::size_t most = 50;
  std::size_t skip = 0;
};

struct SessionList {
  std::vector<SessionRecord> sessions = {};  // newest first: by their last step; without their states
  std::size_t total = 0;
};

// Part of a Store, and used like it. What is written is on the disk when the function returns.
class SessionRecords {
 public:
  virtual ~SessionRecords() = default;

  // CONFLICT when there is one of that id.
  [[nodiscard]] virtual Expected<SessionRecord> create(const SessionDraft& draft) = 0;
  // Adds events and changes what the step names; the record as it is then. NOT_FOUND names the nearest id.
  [[nodiscard]] virtual Expected<SessionRecord> append(std::string_view id, const SessionStep& step) = 0;
  [[nodiscard]] virtual Expected<SessionRecord> load(std::string_view id) = 0;
  // Events in order, those after `after_seq`; at most `most`, and no more once they have `max_bytes`
  // together, but always at least one when there is one. Go on with the seq of the last.
  [[nodiscard]] virtual Expected<std::vector<SessionEvent>> events(std::string_view id,
                                                                   std::uint64_t after_seq = 0,
                                                                   std::size_t most = 1000,
                                                                   std::size_t max_bytes = std::size_t{64}
                                                                                           << 20) = 0;
  [[nodiscard]] virtual Expected<SessionList> list(const SessionFilter& filter) = 0;
  // With all its events.
  [[nodiscard]] virtual Expected<void> remove(std::string_view id) = 0;
};

}  // namespace helve::store
