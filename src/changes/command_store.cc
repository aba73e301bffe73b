#include "changes/command_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <limits>
#include <thread>

#include "base/strings.h"
#include "workspace/file_write.h"
#include "workspace/temporary_file.h"

namespace helve::changes {
namespace {

constexpr const char* kCommands = "commands";
constexpr const char* kJournal = "journal";
constexpr const char* kObjects = "objects";
constexpr const char* kEffects = "effects";
constexpr const char* kLauncher = "launcher";
constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max() / 2;

std::unexpected<Error> store_error(std::string_view action, int error) {
  return fail(workspace::write_error(action, workspace::kHistoryName, error));
}

UniqueFd commands_directory(const HistoryStore& history) {
  return UniqueFd(::openat(history.directory(), kCommands, kDirectoryFlags));
}

std::vector<std::string> names_in(int directory) {
  std::vector<std::string> names;
  const int listing = ::openat(directory, ".", kDirectoryFlags);
  if (listing < 0) return names;
  const DirectoryStream stream(::fdopendir(listing));
  while (const dirent* entry = stream ? ::readdir(stream.get()) : nullptr)
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  return names;
}

void remove_files(int directory) {
  for (const std::string& name : names_in(directory)) ::unlinkat(directory, name.c_str(), 0);
}

Expected<std::string> read_named(int directory, const char* name) {
  const UniqueFd fd(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd && errno == ENOENT) return fail(ErrorCode::kNotFound, "The history does not have this.");
  if (!fd) return store_error("read", errno);
  return read_all(fd.get(), kNoLimit);
}

}  // namespace

Expected<CommandStore> CommandStore::create(const HistoryStore& history, const std::string& change_id) {
  if (::mkdirat(history.directory(), kCommands, 0700) != 0 && errno != EEXIST)
    return store_error("write", errno);
  const UniqueFd commands = commands_directory(history);
  if (!commands || ::mkdirat(commands.get(), change_id.c_str(), 0700) != 0)
    return store_error("write", errno);
  return open(history, change_id);
}

Expected<CommandStore> CommandStore::open(const HistoryStore& history, const std::string& change_id) {
  const UniqueFd commands = commands_directory(history);
  UniqueFd directory(commands ? ::openat(commands.get(), change_id.c_str(), kDirectoryFlags) : -1);
  if (!directory && errno == ENOENT)
    return fail(ErrorCode::kNotFound, "The history no longer has what this command changed.");
  if (!directory) return store_error("read", errno);
  return CommandStore(std::move(directory));
}

void CommandStore::remove(const HistoryStore& history, const std::string& change_id) {
  const UniqueFd commands = commands_directory(history);
  if (!commands) return;
  const UniqueFd directory(::openat(commands.get(), change_id.c_str(), kDirectoryFlags));
  if (!directory) return;
  if (const UniqueFd objects{::openat(directory.get(), kObjects, kDirectoryFlags)})
    remove_files(objects.get());
  ::unlinkat(directory.get(), kObjects, AT_REMOVEDIR);
  remove_files(directory.get());
  ::unlinkat(commands.get(), change_id.c_str(), AT_REMOVEDIR);
}

std::vector<std::string> CommandStore::list(const HistoryStore& history) {
  const UniqueFd commands = commands_directory(history);
  return commands ? names_in(commands.get()) : std::vector<std::string>();
}

Expected<effects::KeptObjects> CommandStore::objects() const {
  return effects::KeptObjects::open(directory_.get(), kObjects);
}

Expected<UniqueFd> CommandStore::create_journal() const {
  UniqueFd fd(::openat(directory_.get(), kJournal,
                       O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return store_error("write", errno);
  return fd;
}

Expected<std::string> CommandStore::journal() const { return read_named(directory_.get(), kJournal); }

void CommandStore::drop_journal() const {
  ::unlinkat(directory_.get(), kJournal, 0);
  ::unlinkat(directory_.get(), kLauncher, 0);
}

Expected<effects::Effects> CommandStore::effects() const {
  const auto bytes = read_named(directory_.get(), kEffects);
  if (!bytes) return fail(bytes.error());
  auto effects = effects::decode_effects(*bytes);
  if (!effects)
    return fail(Error{.code = ErrorCode::kExecutionFailed,
                      .message = "The history record of this command is damaged.",
                      .hint = "Restore the files from version control or a backup.",
                      .kind = ErrorKind::kHistoryDamaged});
  return std::move(*effects);
}

Expected<void> CommandStore::write_effects(const effects::Effects& effects) const {
  auto file = workspace::TemporaryFile::create(directory_.get(), kEffects, 0600);
  if (!file) return fail(file.error());
  if (auto written = write_all(file->fd(), effects::encode_effects(effects)); !written) return written;
  if (const int error = file->give_random_name(); error != 0) return store_error("write", error);
  if (::renameat(directory_.get(), file->name().c_str(), directory_.get(), kEffects) != 0)
    return store_error("write", errno);
  file->forget_name();
  return {};
}

void CommandStore::note_launcher(pid_t launcher) const {
  const UniqueFd fd(
      ::openat(directory_.get(), kLauncher, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (fd) static_cast<void>(write_all(fd.get(), concat(launcher)));
}

void CommandStore::wait_for_launcher() const {
  const auto text = read_named(directory_.get(), kLauncher);
  pid_t launcher = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), launcher).ec != std::errc() ||
      launcher <= 0)
    return;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (::kill(launcher, 0) == 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace helve::changes
