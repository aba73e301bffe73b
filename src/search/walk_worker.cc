#include "search/walk_worker.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/strings.h"
#include "workspace/root_walk.h"
#include "workspace/temporary_file.h"

namespace helve::search {
namespace {

constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
// Beyond this limit, a directory's descriptor is closed as soon as it was read.
constexpr std::size_t kMostDescriptors = 128;
constexpr std::size_t kMostUnreadable = 1000;  // bounds memory; only a few are shown
constexpr std::size_t kLongestOpen = 2048;     // path bytes per system call

// Whether entries of this type are delivered to the visitor.
bool is_delivered(unsigned char type, const WalkOptions& options) {
  return type == DT_REG || (type == DT_DIR && options.deliver_directories) ||
         (type == DT_LNK && options.deliver_links);
}

EntryType entry_type(unsigned char type) {
  if (type == DT_DIR) return EntryType::kDirectory;
  return type == DT_LNK ? EntryType::kLink : EntryType::kFile;
}

// How a resumed walk treats an entry. A link that the visitor follows may lead to the place.
Resume resume_entry(const RawEntry& entry, std::string_view after) {
  const bool leads_on =
      entry.type == DT_LNK && !resume_inside(after).empty() && after.substr(0, after.find('/')) == entry.name;
  return leads_on ? Resume::kDeliver : resume_at(entry.name, entry.type == DT_DIR, after);
}

}  // namespace

void WalkWorker::begin(std::string_view path, const IgnoreLevelPtr& outer, std::string_view resume_after) {
  auto directory = std::make_unique<WalkDirectory>();
  directory->path = path.empty() || path.ends_with('/') ? std::string(path) : concat(path, "/");
  directory->resume_after = resume_after;
  if (!read(*directory, shared_.start_fd, outer)) return;
  directory->fd.reset(::fcntl(shared_.start_fd, F_DUPFD_CLOEXEC, 0));
  shared_.tasks.begin(std::move(directory));
}

void WalkWorker::add_to(WalkReport& report) const {
  report.directories += report_.directories;
  report.ignored += report_.ignored;
  report.hidden += report_.hidden;
  report.not_chosen += report_.not_chosen;
  report.links += report_.links;
  report.special += report_.special;
  report.unreadable += report_.unreadable;
  report.first_unreadable.insert(report.first_unreadable.end(), report_.first_unreadable.begin(),
                                 report_.first_unreadable.end());
}

WalkTask* WalkWorker::work(WalkTask* task) {
  if (shared_.options.should_stop && shared_.options.should_stop()) {
    shared_.tasks.stop();
    return nullptr;
  }
  if (task->reads) return shared_.tasks.replace(task, read_inner(*task));
  visit(task);
  return nullptr;
}

void WalkWorker::visit(WalkTask* task) {
  const WalkDirectory& directory = *task->directory;
  auto findings = shared_.visitor.visit(number_, directory.batch_of(*task, descriptor_of(directory)));
  shared_.tasks.finish(task, std::move(findings));
}

int WalkWorker::descriptor_of(const WalkDirectory& directory) {
  if (directory.fd) return directory.fd.get();
  if (!last_reopened_ || last_path_ != directory.path) {
    last_reopened_ = reopen(directory);
    last_path_ = directory.path;
  }
  return last_reopened_.get();
}

// Opens the directory again from the start, without following symlinks. Works in steps, because a path may
// exceed the kernel's limit.
UniqueFd WalkWorker::reopen(const WalkDirectory& directory) const {
  std::string_view rest = std::string_view(directory.path).substr(shared_.start_bytes);
  while (rest.starts_with('/')) rest.remove_prefix(1);
  UniqueFd fd(::fcntl(shared_.start_fd, F_DUPFD_CLOEXEC, 0));
  while (fd && !rest.empty()) {
    std::size_t bytes = rest.size();
    if (bytes > kLongestOpen) bytes = rest.rfind('/', kLongestOpen) + 1;
    fd.reset(workspace::open_plain(fd.get(), std::string(rest.substr(0, bytes - 1)), kOpenDirectory));
    rest.remove_prefix(bytes);
  }
  return fd;
}

std::unique_ptr<WalkDirectory> WalkWorker::read_inner(const WalkTask& task) {
  const WalkDirectory& outer = *task.directory;
  const FileEntry& entry = outer.entries[task.begin];
  const std::string_view name = entry.name;
  const int outer_fd = descriptor_of(outer);
  UniqueFd fd(outer_fd < 0 ? -1 : ::openat(outer_fd, entry.c_str(), kOpenDirectory));
  if (!fd) {
    // Ignore directories that were removed or replaced meanwhile.
    if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
      report_unreadable(concat(outer.path, name), errno);
    return nullptr;
  }
  auto directory = std::make_unique<WalkDirectory>();
  directory->path.reserve(outer.path.size() + name.size() + 1);
  directory->path.append(outer.path).append(name).append("/");
  directory->depth = outer.depth + 1;
  if (resume_at(name, true, outer.resume_after) == Resume::kInside)
    directory->resume_after = resume_inside(outer.resume_after);
  if (!read(*directory, fd.get(), outer.ignore)) return nullptr;
  if (shared_.tasks.open_descriptors() < kMostDescriptors) {
    directory->fd = std::move(fd);
  } else {
    last_reopened_ = std::move(fd);
    last_path_ = directory->path;
  }
  return directory;
}

bool WalkWorker::read(WalkDirectory& directory, int fd, const IgnoreLevelPtr& outer) {
  if (const int error_number = reader_.read(fd); error_number != 0) {
    if (error_number != ENOENT) report_unreadable(directory.path, error_number);  // ENOENT: removed meanwhile
    return false;
  }
  ++report_.directories;
  IgnoreFilesSeen seen;
  for (const RawEntry& entry : reader_.entries())
    if (entry.name.starts_with('.')) seen.note(entry.name);
  filter_.enter(directory.path, nullptr);
  if (outer != nullptr) {
    directory.ignore = seen.any() ? ignore_rules_inside(outer, fd, filter_.directory(), seen) : outer;
    filter_.enter(directory.path, directory.ignore.get());
  }
  filter_and_sort(directory);
  if (reader_.entries().empty()) return false;
  copy_entries(directory);
  cut_into_tasks(directory);
  return true;
}

// Removes from the reader what does not belong to the walk, and sorts the rest.
void WalkWorker::filter_and_sort(const WalkDirectory& directory) {
  const WalkOptions& options = shared_.options;
  auto& entries = reader_.entries();
  std::erase_if(entries, [&](const RawEntry& entry) {
    const bool is_directory = entry.type == DT_DIR;
    if (!directory.resume_after.empty() && resume_entry(entry, directory.resume_after) == Resume::kSkip)
      return true;
    if (entry.type != DT_REG && !is_directory && entry.type != DT_LNK) {
      if (entry.type != DT_UNKNOWN) ++report_.special;  // DT_UNKNOWN: removed meanwhile
      return true;
    }
    if (entry.type == DT_LNK && !options.deliver_links) {
      ++report_.links;
      return true;
    }
    if (entry.name.starts_with('.')) {
      if (workspace::is_temporary_name(entry.name)) return true;
      if (is_directory && entry.name == ".git") return true;
    }
    return !filter_.accepts(entry.name, is_directory, report_);
  });
  std::ranges::sort(entries,
                    [](const RawEntry& left, const RawEntry& right) { return comes_before(left, right); });
}

// Copies the entries out of the reader, with all names in one allocation.
void WalkWorker::copy_entries(WalkDirectory& directory) {
  const auto& entries = reader_.entries();
  std::size_t bytes = 0;
  for (const RawEntry& entry : entries) bytes += entry.name.size() + 1;
  directory.names = std::make_unique_for_overwrite<char[]>(bytes);
  directory.entries.reserve(entries.size());
  char* place = directory.names.get();
  for (const RawEntry& entry : entries) {
    std::memcpy(place, entry.name.data(), entry.name.size() + 1);
    directory.entries.push_back({std::string_view(place, entry.name.size()), entry_type(entry.type)});
    place += entry.name.size() + 1;
  }
}

void WalkWorker::cut_into_tasks(WalkDirectory& directory) {
  const WalkOptions& options = shared_.options;
  const bool goes_deeper = directory.depth < options.max_depth;
  const auto& raw = reader_.entries();
  std::uint32_t begin = 0;
  const auto end_batch = [&](std::uint32_t end) {
    if (end > begin) directory.tasks.push_back({.directory = &directory, .begin = begin, .end = end});
    begin = end;
  };
  directory.tasks.reserve(raw.size() / kMostFilesInBatch + 4);
  for (std::uint32_t i = 0; i < raw.size(); ++i) {
    const bool is_directory = raw[i].type == DT_DIR;
    const bool is_before = resume_entry(raw[i], directory.resume_after) != Resume::kDeliver;
    if (is_before || !is_delivered(raw[i].type, options)) {
      end_batch(i);
      begin = i + 1;
    } else if (i + 1 - begin == kMostFilesInBatch || (is_directory && goes_deeper)) {
      end_batch(i + 1);
    }
    if (is_directory && goes_deeper)
      directory.tasks.push_back({.directory = &directory, .begin = i, .end = i + 1, .reads = true});
  }
  end_batch(static_cast<std::uint32_t>(raw.size()));
}

void WalkWorker::report_unreadable(std::string_view path, int error_number) {
  ++report_.unreadable;
  if (report_.first_unreadable.size() < kMostUnreadable) {
    if (path.ends_with('/')) path.remove_suffix(1);
    report_.first_unreadable.push_back({std::string(path), errno_text(error_number)});
  }
}

void WalkFilter::enter(std::string_view directory, const IgnoreLevel* ignore) {
  path_.resize(root_bytes_);
  path_ += directory;
  directory_bytes_ = path_.size();
  ignore_ = ignore;
  asks_ = (options_.globs != nullptr && !options_.globs->empty()) || has_rules(ignore);
}

bool WalkFilter::accepts(std::string_view name, bool is_directory, WalkReport& report) {
  if (asks_) {
    path_.resize(directory_bytes_);
    path_ += name;
    const Candidate candidate(path_, directory_bytes_, is_directory);
    const Verdict chosen = options_.globs == nullptr
                               ? Verdict::kNone
                               : options_.globs->judge(candidate.without_prefix(root_bytes_));
    if (chosen == Verdict::kSkip) ++report.not_chosen;
    if (chosen != Verdict::kNone) return chosen == Verdict::kTake;
    const Verdict ruled = judge(ignore_, candidate);
    if (ruled == Verdict::kSkip) ++report.ignored;
    if (ruled != Verdict::kNone) return ruled == Verdict::kTake;
  }
  if (options_.hidden || !name.starts_with('.')) return true;
  if (options_.shown != nullptr && !is_directory &&
      options_.shown->judge(Candidate(name, false)) == Verdict::kTake)
    return true;
  ++report.hidden;
  return false;
}

Resume resume_at(std::string_view name, bool is_directory, std::string_view after) {
  if (after.empty()) return Resume::kDeliver;
  const std::string_view component = after.substr(0, after.find('/'));
  if (name != component) return name < component ? Resume::kSkip : Resume::kDeliver;
  return is_directory ? Resume::kInside : Resume::kSkip;
}

std::string_view resume_inside(std::string_view after) {
  const std::size_t slash = after.find('/');
  return slash == std::string_view::npos ? std::string_view() : after.substr(slash + 1);
}

}  // namespace helve::search
