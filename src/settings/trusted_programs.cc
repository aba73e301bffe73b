#include "settings/trusted_programs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file_io.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "helve/settings/exec.h"
#include "helve/settings/hooks.h"
#include "helve/settings/lsp.h"
#include "helve/settings/mcp_server.h"
#include "helve/settings/search.h"
#include "settings/named_files.h"

namespace helve::settings {
namespace {

using Commands = std::vector<std::vector<std::string>>;

Commands commands_of(const Groups& settings) {
  Commands commands;
  for (const auto* hooks : {&settings.hooks.before, &settings.hooks.after})
    for (const HookProgram& hook : *hooks) commands.push_back({hook.command});
  for (const auto& [name, server] : settings.mcp_servers) commands.push_back(words_of(server));
  for (const auto& [name, server] : settings.lsp.servers) {
    std::vector<std::string> values = server.args.value_or(std::vector<std::string>());
    if (server.command) values.insert(values.begin(), *server.command);
    commands.push_back(std::move(values));
  }
  // Programs that the settings may name by a path.
  for (const std::string* program : {&settings.search.ripgrep, &settings.exec.shell})
    if (program->contains('/')) commands.push_back({*program});
  return commands;
}

std::vector<std::string> paths_of(const std::string& workspace, const Commands& commands) {
  std::vector<std::string> paths;
  for (const auto& command : commands) {
    NamedFiles named = files_of_command(workspace, command);
    for (auto* found : {&named.existing, &named.missing})
      for (std::string& path : *found) paths.push_back(std::move(path));
  }
  return paths;
}

constexpr std::size_t kLargestProgram = std::size_t{512} << 20;

// Identifies the content of a file without reading it. Empty right after a change: the next one could have
// the same time.
std::string stamp_of(const struct stat& status) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec - status.st_ctim.tv_sec < 2) return {};
  return concat(status.st_dev, ":", status.st_ino, ":", status.st_size, ":", status.st_mtim.tv_sec, ".",
                status.st_mtim.tv_nsec, ":", status.st_ctim.tv_sec, ".", status.st_ctim.tv_nsec);
}

}  // namespace

std::vector<std::string> words_of(const McpServerSettings& server) {
  std::vector<std::string> values{server.command};
  values.insert(values.end(), server.args.begin(), server.args.end());
  values.push_back(server.cwd);
  for (const auto& [name, value] : server.env) values.push_back(value);
  return values;
}

std::vector<std::string> trusted_program_paths(const std::string& workspace, const Groups& settings) {
  return paths_of(workspace, commands_of(settings));
}

std::vector<std::string> trusted_program_paths(const std::string& workspace, const ProjectGrants& reviewed) {
  Commands commands;
  for (const GrantedFile& file : reviewed.files)
    if (is_server_list(file.path))
      for (auto& command : commands_in(file)) commands.push_back(std::move(command));
  return paths_of(workspace, commands);
}

ReviewedFiles reviewed_files(const ProjectGrants& grants) {
  ReviewedFiles files;
  for (const GrantedFile& file : grants.files) files[file.path] = file.sha256;
  return files;
}

ReviewedPrograms::ReviewedPrograms(const std::string& workspace, const std::vector<std::string>& values,
                                   const ReviewedFiles& reviewed)
    : workspace_(workspace) {
  for (const std::string& named : files_of_command(workspace, values).existing) {
    const auto real = real_path(named);
    if (!real || !is_within(*real, workspace) || *real == workspace) continue;
    const std::string path = real->substr(workspace == "/" ? 1 : workspace.size() + 1);
    if (const auto known = reviewed.find(path); known != reviewed.end())
      files_.push_back({named, path, known->second});
  }
}

Expected<void> ReviewedPrograms::check() const {
  const std::lock_guard lock(mutex_);
  for (const File& file : files_) {
    const auto changed = [&] {
      return fail(ErrorCode::kPermissionDenied,
                  concat(file.path, " is not what you reviewed any more, so Helve does not run it."),
                  "Read it, run `helve config trust` to review it again, then restart Helve.");
    };
    const auto real = real_path(file.named);
    if (!real || *real != concat(workspace_ == "/" ? "" : workspace_, "/", file.path)) return changed();
    const UniqueFd opened(::open(real->c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
    struct stat status{};
    if (!opened || ::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode)) return changed();
    const std::string stamp = stamp_of(status);
    std::string& known = stamps_[file.named];
    if (!stamp.empty() && stamp == known) continue;
    const auto content = read_all(opened.get(), kLargestProgram);
    if (!content || sha256_hex(*content) != file.sha256) return changed();
    known = stamp;
  }
  return {};
}

}  // namespace helve::settings
