#include "agent/journal.h"

#include "agent/deeds.h"
#include "base/strings.h"

namespace helve::agent {
namespace {

// More than one reply can bring before the next step is kept: a resumed session must not count twice.
constexpr std::uint64_t kEventBlock = 1'000'000;

std::uint64_t reserved_in(const Json& state) {
  const Json* events = state.find("events");
  std::int64_t number = 0;
  return events != nullptr && events->fits_int64(number) && number > 0 ? static_cast<std::uint64_t>(number)
                                                                       : 0;
}

Json state_with(std::uint64_t reserved) { return JsonObject{{"events", reserved}}; }

}  // namespace

Expected<std::vector<Entry>> load_entries(store::SessionRecords& records, std::string_view id) {
  std::vector<Entry> entries;
  for (std::uint64_t seq = 0;;) {
    const auto events = records.events(id, seq);
    if (!events) return fail(events.error());
    if (events->empty()) return entries;
    for (const store::SessionEvent& event : *events) {
      auto entry = to_entry(event);
      if (!entry) return fail(entry.error());
      entries.push_back(*std::move(entry));
      seq = event.seq;
    }
  }
}

Journal::Journal(store::SessionRecords& records, store::SessionRecord record)
    : records_(records),
      id_(std::move(record.id)),
      first_event_(reserved_in(record.state) + 1),
      reserved_events_(first_event_ - 1),
      last_seq_(record.last_seq) {}

Expected<std::unique_ptr<Journal>> Journal::create(store::SessionRecords& records,
                                                   const store::SessionDraft& draft, BeginEntry begin) {
  auto record = records.create(draft);
  if (!record) return fail(record.error());
  std::unique_ptr<Journal> journal(new Journal(records, *std::move(record)));
  if (auto added = journal->add({std::move(begin)}, {.state = state_with(kEventBlock)}); !added)
    return fail(added.error());
  journal->reserved_events_ = kEventBlock;
  return journal;
}

Expected<std::unique_ptr<Journal>> Journal::open(store::SessionRecords& records, std::string_view id) {
  auto record = records.load(id);
  if (!record) return fail(record.error());
  std::unique_ptr<Journal> journal(new Journal(records, *std::move(record)));
  auto entries = load_entries(records, id);
  if (!entries) return fail(entries.error());
  for (const Entry& entry : *entries) journal->transcript_.add(entry);
  if (auto reserved = journal->reserve_events(journal->first_event_); !reserved)
    return fail(reserved.error());
  return journal;
}

Expected<void> Journal::add(Entry entry) {
  std::vector<Entry> entries;
  entries.push_back(std::move(entry));
  return add(entries);
}

Expected<void> Journal::add(const std::vector<Entry>& entries, store::SessionStep step) {
  for (const Entry& entry : entries) step.events.push_back(to_draft(entry));
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries)
    if (auto deed = deed_of(transcript_, entry)) step.deeds.push_back(*std::move(deed));
  if (auto appended = append_locked(std::move(step)); !appended) return appended;
  for (const Entry& entry : entries) transcript_.add(entry);
  return {};
}

Expected<void> Journal::append_locked(store::SessionStep step) {
  if (trouble_) return fail(*trouble_);
  step.after_seq = last_seq_;
  const auto record = records_.append(id_, step);
  if (record) {
    last_seq_ = record->last_seq;
    return {};
  }
  trouble_ = record.error();
  if (trouble_->code == ErrorCode::kConflict)
    trouble_ = Error{ErrorCode::kConflict,
                     concat("The session ", id_, " goes on in another process, so it ends in this one."),
                     "Work with one of them at a time."};
  return fail(*trouble_);
}

Expected<void> Journal::reserve_events(std::uint64_t last_event) {
  if (last_event + kEventBlock / 2 <= reserved_events_) return {};
  const std::lock_guard lock(mutex_);
  if (last_event + kEventBlock / 2 <= reserved_events_) return {};
  const std::uint64_t reserved = last_event + kEventBlock;
  if (auto appended = append_locked({.state = state_with(reserved)}); !appended) return appended;
  reserved_events_ = reserved;
  return {};
}

std::optional<Error> Journal::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

std::optional<CallState> Journal::open_call(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const Round* round = transcript_.open_round();
  if (round == nullptr) return {};
  for (const CallState& call : round->calls)
    if (call.planned.id == id) return call;
  return {};
}

}  // namespace helve::agent
