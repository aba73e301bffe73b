#include "cli/editor.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "base/environment.h"
#include "base/file_io.h"
#include "base/strings.h"

namespace helve::cli {
namespace {

std::string editor() {
  for (const char* variable : {"VISUAL", "EDITOR"})
    if (std::string value = environment_variable(variable); !trim(value).empty()) return value;
  return "vi";
}

// While the editor runs, Ctrl-C is for the editor.
class IgnoredInterrupts {
 public:
  IgnoredInterrupts() {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, &interrupt_);
    ::sigaction(SIGQUIT, &ignore, &quit_);
  }
  IgnoredInterrupts(const IgnoredInterrupts&) = delete;
  IgnoredInterrupts& operator=(const IgnoredInterrupts&) = delete;
  ~IgnoredInterrupts() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGQUIT, &quit_, nullptr);
  }

 private:
  struct sigaction interrupt_{};
  struct sigaction quit_{};
};

}  // namespace

Expected<int> run_on_file(const std::string& command, const std::string& path) {
  std::string script = concat(command, " \"$1\"");
  std::string shell = "sh";
  std::string flag = "-c";
  std::string file = path;
  char* const arguments[] = {shell.data(), flag.data(), script.data(), shell.data(), file.data(), nullptr};
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGINT);
  ::sigaddset(&defaults, SIGQUIT);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const IgnoredInterrupts ignored;
  pid_t child = -1;
  const int failure = ::posix_spawn(&child, "/bin/sh", nullptr, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  if (failure != 0) return fail(system_error("Cannot start a shell", failure));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Expected<EditedText> EditedText::create(const std::string& file_name, std::string_view text) {
  std::string base = environment_variable("XDG_RUNTIME_DIR");
  if (!base.starts_with('/') || ::access(base.c_str(), W_OK) != 0) base = temporary_directory();
  auto directory = ScratchDirectory::create(base, "helve-edit-");
  if (!directory) return fail(std::move(directory).error());
  EditedText edited(*std::move(directory));
  edited.path_ = concat(edited.directory_.path(), "/", file_name);
  const UniqueFd fd(::open(edited.path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return fail(system_error(concat("Cannot create ", edited.path_), errno));
  if (auto written = write_all(fd.get(), text); !written) return fail(std::move(written).error());
  return edited;
}

Expected<std::string> EditedText::edit() const {
  const std::string command = editor();
  const auto code = run_on_file(command, path_);
  if (!code) return fail(code.error());
  if (*code == 127)
    return fail(ErrorCode::kUnavailable, concat("The editor \"", command, "\" was not found."),
                "Set VISUAL or EDITOR to an installed editor.");
  if (*code != 0)
    return fail(ErrorCode::kCancelled,
                concat("The editor \"", command, "\" ended with code ", *code, "; nothing was saved."));
  return read_file(path_);
}

const std::string& EditedText::keep() {
  directory_.keep();
  return path_;
}

}  // namespace helve::cli
