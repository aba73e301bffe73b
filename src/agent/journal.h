// The durable record of a running session: every step is on the disk before it counts.
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

// Owned by the agent. add() may be used from all threads; the transcript only while no call runs.
class Journal {
 public:
  // The records must outlive it.
  [[nodiscard]] static Expected<std::unique_ptr<Journal>> create(store::SessionRecords& records,
                                                                 const store::SessionDraft& draft,
                                                                 BeginEntry begin);
  [[nodiscard]] static Expected<std::unique_ptr<Journal>> open(store::SessionRecords& records,
                                                               std::string_view id);

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const Transcript& transcript() const { return transcript_; }
  // What events of this run may be counted from: no earlier run has used it.
  [[nodiscard]] std::uint64_t first_event() const { return first_event_; }

  // On the disk when it returns. CONFLICT when another process took the session further.
  [[nodiscard]] Expected<void> add(Entry entry);
  // The same with a new title or model for the session.
  [[nodiscard]] Expected<void> add(const std::vector<Entry>& entries, store::SessionStep step = {});
  // Reserves numbers for events before they are used, so that no event has the number of one before a crash.
  [[nodiscard]] Expected<void> reserve_events(std::uint64_t last_event);

  // The first thing that could not be written; the turn must not go on then.
  [[nodiscard]] std::optional<Error> trouble() const;
  // A call of the round that is open, as far as it has come.
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
  std::optional<Error> trouble_;
};

}  // namespace helve::agent
