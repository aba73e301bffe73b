#include "mcp_peer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/strings.h"

namespace helve::bench {
namespace {

constexpr std::string_view kInitialize =
    R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}})";

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "bench of MCP: %s\n", what.c_str());
  std::exit(1);
}

struct Child {
  pid_t pid = -1;
  UniqueFd to;
  UniqueFd from;
};

Child start(const std::vector<std::string>& words) {
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) give_up("no pipes");
  Child child{.to = UniqueFd(in[1]), .from = UniqueFd(out[0])};
  const UniqueFd theirs_in(in[0]);
  const UniqueFd theirs_out(out[1]);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (::posix_spawn(&child.pid, argv[0], &actions, nullptr, argv.data(), environ) != 0)
    give_up(concat("cannot start ", words.front()));
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

void end(pid_t pid) {
  if (pid < 0) return;
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

double resident_mib_of(pid_t pid) {
  std::ifstream status(concat("/proc/", std::to_string(pid), "/status"));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  return 0;
}

void must_write(int fd, std::string_view bytes) {
  if (!write_all(fd, bytes)) give_up("the server does not listen any more");
}

// Long answers are full of quotes, at each of which std::string_view::find would look closer: that took a
// tenth of the time of a call.
bool has(std::string_view text, std::string_view wanted) {
  return ::memmem(text.data(), text.size(), wanted.data(), wanted.size()) != nullptr;
}

void must_be_good(std::string_view answer) {
  if (has(answer, R"("isError":true)") || has(answer, R"("error":{"code")"))
    give_up(concat("an error: ", answer.substr(0, 600)));
}

std::string request(int id, std::string_view method, std::string_view params) {
  return concat(R"({"jsonrpc":"2.0","id":)", std::to_string(id), R"(,"method":")", method, R"(","params":)",
                params, "}");
}

std::string call_params(std::string_view tool, std::string_view arguments) {
  return concat(R"({"name":")", tool, R"(","arguments":)", arguments, "}");
}

// Reads more into the buffer.
void fill(int fd, std::string& buffer) {
  constexpr std::size_t kChunk = std::size_t{256} << 10;
  const std::size_t size = buffer.size();
  buffer.resize_and_overwrite(size + kChunk, [&](char* data, std::size_t) {
    const ssize_t count = ::read(fd, data + size, kChunk);
    return size + static_cast<std::size_t>(count > 0 ? count : 0);
  });
  if (buffer.size() == size) give_up("the server ended");
}

}  // namespace

McpPeer::McpPeer(const std::vector<std::string>& words) {
  Child child = start(words);
  pid_ = child.pid;
  to_ = std::move(child.to);
  from_ = std::move(child.from);
  (void)ask("initialize", kInitialize);
  must_write(to_.get(), "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
}

McpPeer::~McpPeer() { end(pid_); }

double McpPeer::resident_mib() const { return resident_mib_of(pid_); }

const std::string& McpPeer::next_line() {
  for (;;) {
    if (const std::size_t end = buffer_.find('\n', begin_); end != std::string::npos) {
      line_.assign(buffer_, begin_, end - begin_);
      begin_ = end + 1;
      if (begin_ == buffer_.size()) buffer_.clear(), begin_ = 0;
      if (line_.find(R"("id":)") != std::string::npos) return line_;  // anything else is a notification
    } else {
      buffer_.erase(0, begin_), begin_ = 0;
      fill(from_.get(), buffer_);
    }
  }
}

const std::string& McpPeer::ask(std::string_view method, std::string_view params) {
  must_write(to_.get(), concat(request(++id_, method, params), "\n"));
  const std::string& answer = next_line();
  must_be_good(answer);
  return answer;
}

const std::string& McpPeer::call(std::string_view tool, std::string_view arguments) {
  return ask("tools/call", call_params(tool, arguments));
}

void McpPeer::call_many(std::string_view tool, int count, int in_flight,
                        const std::function<std::string(int n)>& arguments) {
  int sent = 0;
  std::string lines;
  for (int received = 0; received < count;) {
    lines.clear();
    for (; sent < count && sent - received < in_flight; ++sent)
      lines += concat(request(++id_, "tools/call", call_params(tool, arguments(sent))), "\n");
    if (!lines.empty()) must_write(to_.get(), lines);
    do must_be_good(next_line());
    while (++received < sent && buffer_.find('\n', begin_) != std::string::npos);
  }
}

HttpPeer::HttpPeer(const std::string& helve, const std::string& workspace) {
  Child child = start({helve, "serve", "--port", "0", "--workspace", workspace, "--mode", "full"});
  pid_ = child.pid;
  while (buffer_.find("Ctrl-C") == std::string::npos) fill(child.from.get(), buffer_);
  const auto between = [&](std::string_view before, std::string_view after) {
    const std::size_t at = buffer_.find(before) + before.size();
    return buffer_.substr(at, buffer_.find(after, at) - at);
  };
  const std::string port = between("http://127.0.0.1:", "/mcp");
  const auto token = read_file(between("$(cat ", ")"));
  if (!token) give_up("no token of helve serve");
  buffer_.clear();

  connection_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::strtol(port.c_str(), nullptr, 10)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(connection_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    give_up("helve serve does not answer");
  const int yes = 1;
  ::setsockopt(connection_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  head_ = concat("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:", port, "\r\nAuthorization: Bearer ", trim(*token),
                 "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n");
  (void)post(request(++id_, "initialize", kInitialize));
}

HttpPeer::~HttpPeer() { end(pid_); }

double HttpPeer::resident_mib() const { return resident_mib_of(pid_); }

const std::string& HttpPeer::call(std::string_view tool, std::string_view arguments) {
  return post(request(++id_, "tools/call", call_params(tool, arguments)));
}

const std::string& HttpPeer::post(std::string_view body) {
  must_write(connection_.get(),
             concat(head_, "Content-Length: ", std::to_string(body.size()), "\r\n\r\n", body));
  std::size_t head = 0;
  while ((head = buffer_.find("\r\n\r\n")) == std::string::npos) fill(connection_.get(), buffer_);
  head += 4;
  const std::string fields = to_lower(std::string_view(buffer_).substr(0, head));
  if (!fields.starts_with("http/1.1 200")) give_up(concat("HTTP: ", buffer_));
  const std::size_t length = fields.find("\r\ncontent-length: ");
  if (length == std::string::npos) give_up("an answer without a length");
  const auto size = static_cast<std::size_t>(std::strtol(fields.c_str() + length + 18, nullptr, 10));
  while (buffer_.size() < head + size) fill(connection_.get(), buffer_);
  answer_.assign(buffer_, head, size);
  if (const std::size_t session = fields.find("\r\nmcp-session-id: ");
      session != std::string::npos && id_ == 1) {
    const std::size_t from = session + 18;
    head_ += concat("Mcp-Session-Id: ", buffer_.substr(from, buffer_.find('\r', from) - from),
                    "\r\nMCP-Protocol-Version: 2025-11-25\r\n");
  }
  buffer_.erase(0, head + size);
  must_be_good(answer_);
  return answer_;
}

}  // namespace helve::bench
