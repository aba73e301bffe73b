#include "core/unsettled_commands.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/file_lock.h"
#include "base/strings.h"
#include "base/to_number.h"
#include "process/process_info.h"
#include "search/directory_reader.h"

namespace helve::core {
namespace {

using repository::Found;
using repository::Guarded;

constexpr std::string_view kFormat = "helve-unsettled-1";
constexpr std::string_view kLockEnding = ".lock";
constexpr std::size_t kLargestNote = std::size_t{16} << 20;

std::string notes_directory(const std::string& state_directory) {
  return concat(state_directory, "/unsettled");
}

// Fields end with a NUL, the only byte that no path has.
template <class... Fields>
void add_fields(std::string& text, const Fields&... fields) {
  ((text += concat(fields, '\0')), ...);
}

// Identifies the directory, because another one may now have the same path.
std::string identity_of(const std::string& directory) {
  struct stat status{};
  if (::stat(directory.c_str(), &status) != 0) return {};
  return concat(status.st_dev, ":", status.st_ino);
}

std::string to_text(const UnsettledNotes::Facts& facts) {
  std::string text;
  add_fields(text, kFormat, facts.workspace, identity_of(facts.workspace), facts.quarantine,
             facts.before.size());
  for (const repository::Guarded& each : facts.before)
    add_fields(text, each.found.path, static_cast<int>(each.found.kind), each.found.inode,
               each.has_common_directory ? 1 : 0, each.has_worktree_settings ? 1 : 0, each.fingerprint);
  return text;
}

struct Note {
  UnsettledNotes::Facts facts;
  std::string identity;  // of the workspace
  pid_t launcher = 0;    // 0: not yet named
  std::uint64_t launcher_start = 0;
};

// Reads one field after the other.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : rest_(text) {}

  std::string_view next() {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) {
      whole_ = false;
      return {};
    }
    const std::string_view field = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return field;
  }
  std::uint64_t number() {
    const auto value = to_number<std::uint64_t>(next());
    if (!value) whole_ = false;
    return value.value_or(0);
  }
  [[nodiscard]] bool whole() const { return whole_; }

 private:
  std::string_view rest_;
  bool whole_ = true;
};

// Nothing for an incomplete note: its job had not started.
std::optional<Note> parse_note(std::string_view text) {
  FieldReader fields(text);
  if (fields.next() != kFormat) return {};
  Note note;
  note.facts.workspace = fields.next();
  note.identity = fields.next();
  note.facts.quarantine = fields.next();
  const std::uint64_t count = fields.number();
  if (!fields.whole()) return {};
  for (std::uint64_t i = 0; i < count; ++i) {
    repository::Guarded guarded;
    guarded.found.path = fields.next();
    guarded.found.kind = static_cast<repository::Found::Kind>(fields.number());
    guarded.found.inode = fields.number();
    guarded.has_common_directory = fields.number() != 0;
    guarded.has_worktree_settings = fields.number() != 0;
    guarded.fingerprint = fields.next();
    if (!fields.whole()) return {};
    note.facts.before.push_back(std::move(guarded));
  }
  const auto launcher = static_cast<pid_t>(fields.number());
  const std::uint64_t start = fields.number();
  if (fields.whole()) {
    note.launcher = launcher;
    note.launcher_start = start;
  }
  return note;
}

// The launcher notices at once that its Helve ended, but needs a moment to end its processes. False when it
// still lives.
bool wait_for_launcher(const Note& note) {
  using namespace std::chrono_literals;
  if (note.launcher == 0) {
    std::this_thread::sleep_for(200ms);  // killed while it started
    return true;
  }
  for (int looks = 0; looks < 500; ++looks) {
    const auto now = process::read_proc_stat(note.launcher);
    if (!now || now->start_ticks != note.launcher_start || now->state == 'Z') return true;
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  search::DirectoryReader reader;
  if (!fd || reader.read(fd.get()) != 0) return names;
  for (const search::RawEntry& entry : reader.entries()) names.emplace_back(entry.name);
  std::ranges::sort(names);
  return names;
}

// The outcome of a note; nothing when the note belongs to another workspace.
std::optional<SettledLater> settle_one(const std::string& path, const std::string& workspace) {
  const auto text = read_file(path, kLargestNote);
  if (!text) return {};
  const auto note = parse_note(*text);
  if (note) {
    const std::string& noted = note->facts.workspace;
    if (!is_within(noted, workspace) && !is_within(workspace, noted)) return {};
  }
  SettledLater later;
  if (note && note->identity == identity_of(note->facts.workspace)) {
    later.workspace = note->facts.workspace;
    later.quarantine = note->facts.quarantine;
    if (!wait_for_launcher(*note)) {
      later.settled.trouble =
          "A command of a Helve that was killed still runs; its repositories are looked "
          "at when Helve starts the next time";
      return later;
    }
    repository::RepositoryIndex index(later.workspace);
    later.settled = repository::settle(later.workspace, note->facts.before, index.look(), later.quarantine);
  }
  ::unlink(path.c_str());
  return later;
}

}  // namespace

Expected<std::unique_ptr<UnsettledNotes>> UnsettledNotes::open(const std::string& state_directory) {
  const std::string directory = notes_directory(state_directory);
  if (auto made = make_private_directories(directory); !made) return fail(made.error());
  auto mark = create_life_mark(directory, "commands", kLockEnding);
  if (!mark) return fail(std::move(mark).error());
  std::string stem = mark->path.substr(0, mark->path.size() - kLockEnding.size());
  return std::unique_ptr<UnsettledNotes>(new UnsettledNotes(std::move(mark->lock), std::move(stem)));
}

UnsettledNotes::~UnsettledNotes() {
  if (left_ == 0) ::unlink(concat(stem_, kLockEnding).c_str());
}

Expected<std::string> UnsettledNotes::write(const Facts& facts) {
  std::string path = concat(stem_, ".", random_id("note"));
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return fail(system_error(concat("Cannot create ", path), errno));
  ++left_;
  if (auto written = write_all(file.get(), to_text(facts)); !written) {
    remove(path);
    return fail(written.error());
  }
  return path;
}

void UnsettledNotes::name_launcher(const std::string& note, pid_t launcher) {
  const auto now = process::read_proc_stat(launcher);
  const UniqueFd file(::open(note.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!now || !file) return;
  std::string text;
  add_fields(text, launcher, now->start_ticks);
  // Without it, the next start only waits a little longer.
  static_cast<void>(write_all(file.get(), text));
}

void UnsettledNotes::remove(const std::string& note) {
  if (::unlink(note.c_str()) == 0) --left_;
}

std::vector<SettledLater> settle_left_over(const std::string& state_directory, const std::string& workspace) {
  std::vector<SettledLater> all;
  const std::string directory = notes_directory(state_directory);
  const std::vector<std::string> names = names_in(directory);
  for (const std::string& name : names) {
    if (!name.ends_with(kLockEnding)) continue;
    const std::string path = concat(directory, "/", name);
    const UniqueFd lock(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    // Locked: its Helve lives, or another one is cleaning up.
    if (!lock || !try_exclusive_lock(lock.get())) continue;
    const std::string stem = name.substr(0, name.size() - kLockEnding.size() + 1);
    bool left = false;
    // Read again, because some names were seen before their Helve ended.
    for (const std::string& note : names_in(directory)) {
      if (!note.starts_with(stem) || note == name) continue;
      const std::string note_path = concat(directory, "/", note);
      if (auto later = settle_one(note_path, workspace); later && !later->workspace.empty())
        all.push_back(*std::move(later));
      left = left || ::access(note_path.c_str(), F_OK) == 0;
    }
    if (!left) ::unlink(path.c_str());
  }
  return all;
}

}  // namespace helve::core
