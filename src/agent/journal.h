// The durable record of a running session: every step is on disk before it takes effect.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/transcript.h"
#include "helve/events.h"
#include "store/session_records.h"

namespace helve::agent {

// All entries of a session, in order.
[[nodiscard]] Expected<std::vector<Entry>> load_entries(store::SessionRecords& records, std::string_view id);

// Owned by the agent. add() may be called from any thread; transcript() may be used only while no call runs.
class Journal {
 public:
  // The records must outlive the journal.
  [[nodiscard]] static Expected<std::unique_ptr<Journal>> create(store::SessionRecords& records,
                                                                 const store::SessionDraft& draft,
                                                                 BeginEntry begin);
  [[nodiscard]] static Expected<std::unique_ptr<Journal>> open(store::SessionRecords& records,
                                                               std::string_view id);

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const Transcript& transcript() const { return transcript_; }
  // The first event number of this run. No earlier run has used it.
  [[nodiscard]] std::uint64_t first_event() const { return first_event_; }

  // The entry is on disk when add() returns. Fails with CONFLICT when another process continued the session.
  [[nodiscard]] Expected<void> add(Entry entry);
  // The same for several entries; `step` may set a new title or model.
  [[nodiscard]] Expected<void> add(const std::vector<Entry>& entries, store::SessionStep step = {});
  // Reserves event numbers before they are used, so that numbers are never reused after a crash.
  [[nodiscard]] Expected<void> reserve_events(std::uint64_t last_event);

  // The first failed write. The turn must end then.
  [[nodiscard]] std::optional<Error> failure() const;
  // The current state of a call in the open round.
  [[nodiscard]] std::optional<CallState> open_call(std::string_view id) const;

 private:
  Journal(store::SessionRecords& records, store::SessionRecord record);
  [[nodiscard]] Expected<void> append_locked(store::SessionStep step);

  store::SessionRecords& records_;
  const std::string id_;
  const std::uint64_t first_event_;
  std::atomic<std::uint64_t> reserved_events_;
  mutable std::mutex mutex_;
  std::uint64_t last_seq_;
  Transcript transcript_;
  std::optional<Error> failure_;
};

}  // namespace helve::agent
