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
#include <utility>

#include "base/base64.h"
#include "base/json_parse.h"
#include "base/strings.h"

namespace helve::search {
namespace {

// Output lines contain escaped file lines. Longer ones are left to the built-in engine.
constexpr std::size_t kLongestLine = std::size_t{16} << 20;
constexpr std::size_t kRead = std::size_t{64} << 10;
constexpr int kStopPollMs = 20;

std::vector<std::string> environment() {
  std::vector<std::string> kept;
  // These locate git's configuration. A search needs no other variables.
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

RipgrepMessage::Kind kind_of(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, RipgrepMessage::Kind>, 5> kMessages = {
      {{"begin", RipgrepMessage::Kind::kBegin},
       {"match", RipgrepMessage::Kind::kMatch},
       {"context", RipgrepMessage::Kind::kContext},
       {"end", RipgrepMessage::Kind::kEnd},
       {"summary", RipgrepMessage::Kind::kSummary}}};
  for (const auto& [name, kind] : kMessages) {
    if (name == type) return kind;
  }
  return RipgrepMessage::Kind::kOther;
}

// {"text": …} or, if it is not valid UTF-8, {"bytes": base64}.
std::optional<std::string> bytes_of(const Json* value) {
  if (value == nullptr) return {};
  if (const Json* text = value->find("text"); text != nullptr && text->is_string()) return text->as_string();
  if (const Json* bytes = value->find("bytes"); bytes != nullptr && bytes->is_string())
    return from_base64(bytes->as_string());
  return {};
}

std::size_t number_of(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  std::int64_t number = 0;
  return value != nullptr && value->fits_int64(number) && number > 0 ? static_cast<std::size_t>(number) : 0;
}

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
  ::kill(pid_, SIGKILL);  // safe: it writes nothing
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

std::optional<RipgrepMessage> parse_message(std::string_view line) {
  const auto json = parse_json(line);
  if (!json) return {};
  const Json* type = json->find("type");
  const Json* data = json->find("data");
  if (type == nullptr || !type->is_string() || data == nullptr || !data->is_object()) return {};
  RipgrepMessage message{.kind = kind_of(type->as_string())};
  if (const auto path = bytes_of(data->find("path"))) message.path = *path;
  if (auto lines = bytes_of(data->find("lines"))) message.lines = std::move(*lines);
  message.line_number = number_of(*data, "line_number");
  if (const Json* submatches = data->find("submatches"); submatches != nullptr && submatches->is_array()) {
    for (const Json& match : submatches->as_array())
      message.matches.push_back({number_of(match, "start"), number_of(match, "end")});
  }
  const Json* binary = data->find("binary_offset");
  message.binary = binary != nullptr && !binary->is_null();
  return message;
}

}  // namespace helve::search
