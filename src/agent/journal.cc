#include "agent/journal.h"

#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/redact.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::agent {
namespace {

// More events than one reply can publish before the next step is recorded, so that a resumed session never
// reuses a number.
constexpr std::uint64_t kEventBlock = 1'000'000;

std::uint64_t reserved_in(const Json& state) {
  const Json* events = state.find("events");
  std::int64_t number = 0;
  return events != nullptr && events->fits_int64(number) && number > 0 ? static_cast<std::uint64_t>(number)
                                                                       : 0;
}

Json state_with(std::uint64_t reserved) { return JsonObject{{"events", reserved}}; }

constexpr std::size_t kLongestText = 1000;

// The index is searched and printed, so secrets are redacted.
std::string index_text(std::string_view text) { return on_one_line(redact_text(text), kLongestText); }

const CallState* find_call(const Transcript& transcript, std::string_view id) {
  const Round* round = transcript.open_round();
  if (round == nullptr) return nullptr;
  for (const CallState& call : round->calls)
    if (call.planned.id == id) return &call;
  return nullptr;
}

store::Action action_of(const model::ToolCall& call, const ResultEntry& result) {
  const Json arguments = parse_json(call.arguments).value_or(Json());
  const std::string outcome =
      result.failed() ? concat(result.summary, " (", result.code, ")") : result.summary;
  if (call.name == "exec")
    return {.kind = "command",
            .subject = call.name,
            .text = index_text(concat(text_in(arguments, "command"), " (", outcome, ")"))};
  std::vector<std::string> paths;
  for (const std::string& path : result.paths)
    if (!outcome.contains(path)) paths.push_back(path);
  std::string subject = !result.paths.empty() ? result.paths.front() : text_in(arguments, "path");
  return {.kind = "call",
          .subject = on_one_line(subject.empty() ? call.name : subject, kLongestText),
          .text = index_text(concat(call.name, ": ", outcome, paths.empty() ? "" : "; ", join(paths, ", ")))};
}

// The history index entry for a user message or for a finished call that may have had effects. `entry` is not
// yet part of the transcript.
std::optional<store::Action> index_entry_of(const Transcript& transcript, const Entry& entry) {
  if (const auto* user = std::get_if<UserEntry>(&entry)) {
    if (user->from_helve) return {};
    return store::Action{.kind = "prompt", .text = index_text(user->text)};
  }
  const auto* result = std::get_if<ResultEntry>(&entry);
  if (result == nullptr) return {};
  const CallState* call = find_call(transcript, result->call);
  if (call == nullptr || !call->changes) return {};
  return action_of(call->planned.requested, *result);
}

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
    if (auto action = index_entry_of(transcript_, entry)) step.actions.push_back(*std::move(action));
  if (auto appended = append_locked(std::move(step)); !appended) return appended;
  for (const Entry& entry : entries) transcript_.add(entry);
  return {};
}

Expected<void> Journal::append_locked(store::SessionStep step) {
  if (failure_) return fail(*failure_);
  step.after_seq = last_seq_;
  const auto record = records_.append(id_, step);
  if (record) {
    last_seq_ = record->last_seq;
    return {};
  }
  failure_ = record.error();
  if (failure_->code == ErrorCode::kConflict)
    failure_ =
        Error{ErrorCode::kConflict, concat("Another process continued session ", id_, ", so it ends here."),
              "Use a session in one process at a time."};
  return fail(*failure_);
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

std::optional<Error> Journal::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
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
