#include "search/ripgrep_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/strings.h"

namespace helve::search {
namespace {

// A line of output is a line of a file with its escapes; beyond this, the builtin engine does it better.
constexpr std::size_t kLongestLine = std::size_t{16} << 20;
constexpr std::size_t kRead = std::size_t{64} << 10;
constexpr int kStopPollMs = 20;

std::vector<std::string> environment() {
  std::vector<std::string> kept;
  // Where git's own ignore file is configured; nothing else concerns a search.
  for (const char* name : {"HOME", "XDG_CONFIG_HOME", "PATH"}) {
    if (const char* value = std::getenv(name)) kept.push_back(concat(name, "=", value));
  }
  return kept;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

class SpawnActions {
 public:
  SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

Expected<RipgrepProcess> RipgrepProcess::start(const Start& start) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(system_error("Cannot make a pipe", errno));
  UniqueFd output(ends[0]);
  const UniqueFd child_output(ends[1]);

  SpawnActions actions;
  if (start.input < 0)
    ::posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  else
    ::posix_spawn_file_actions_adddup2(actions.get(), start.input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(actions.get(), child_output.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(actions.get(), STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (start.directory >= 0) ::posix_spawn_file_actions_addfchdir_np(actions.get(), start.directory);

  std::vector<std::string> arguments = {start.program};
  arguments.insert(arguments.end(), start.arguments.begin(), start.arguments.end());
  std::vector<std::string> variables = environment();
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, start.program.c_str(), actions.get(), nullptr,
                                  pointers_to(arguments).data(), pointers_to(variables).data());
  if (error != 0) return fail(system_error("Cannot start " + start.program, error));
  return RipgrepProcess(pid, std::move(output));
}

RipgrepProcess::RipgrepProcess(RipgrepProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_(std::move(other.output_)),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      searched_(other.searched_) {}

RipgrepProcess::~RipgrepProcess() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);  // it changes nothing, so that there is nothing to finish
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

RipgrepProcess::Read RipgrepProcess::next_line(std::string_view& line, const ShouldStop& should_stop) {
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched_);
    if (end != std::string::npos) {
      line = std::string_view(buffer_).substr(begin_, end - begin_);
      begin_ = searched_ = end + 1;
      return Read::kLine;
    }
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched_ = buffer_.size();
    if (buffer_.size() > kLongestLine) return Read::kTooLong;

    pollfd wait{.fd = output_.get(), .events = POLLIN, .revents = 0};
    while (::poll(&wait, 1, kStopPollMs) <= 0) {
      if (should_stop()) return Read::kStopped;
    }
    if (should_stop()) return Read::kStopped;
    const std::size_t had = buffer_.size();
    buffer_.resize(had + kRead);
    const ssize_t got = ::read(output_.get(), buffer_.data() + had, kRead);
    buffer_.resize(had + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Read::kEnd;
  }
}

}  // namespace helve::search
