// Accepts connections, gives each a thread, and watches all of them for disconnects.
#include "http/server.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "http/connection.h"
#include "http/listener.h"
#include "http/response_text.h"

namespace helve::http {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kEventToken = 0;
constexpr std::uint64_t kListenerToken = 1;
constexpr std::uint64_t kFirstConnection = 2;
constexpr int kAcceptsAtOnce = 64;
// Connections beyond the limit that were asked to end but have not ended yet.
constexpr std::size_t kMostEnding = 16;
// A request that takes longer than this to arrive may be dropped in favour of a new connection.
constexpr milliseconds kReadingGrace{250};
constexpr milliseconds kAcceptPause{100};
// For connections that were asked to end, which usually takes microseconds. New ones wait in the backlog.
constexpr milliseconds kEndingPause{5};
// How long a refused client has to read the reason before its connection is closed.
constexpr milliseconds kRefusedTime{500};
constexpr std::size_t kMostRefused = 32;
// How long stopping handlers have to finish their answers.
constexpr milliseconds kShutdownGrace{250};

constexpr std::size_t kLongestField = 200;  // the client chooses the path

class LocalServer final : public Server {
 public:
  LocalServer(Service service, Listener listener, UniqueFd epoll, UniqueFd event)
      : service_(std::move(service)),
        listener_(std::move(listener)),
        epoll_(std::move(epoll)),
        event_(std::move(event)) {
    watch(event_.get(), EPOLLIN, kEventToken);
    watch(listener_.socket(), EPOLLIN, kListenerToken);
    // Connection threads inherit the mask, so that other threads handle the program's signals.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~LocalServer() override;
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  [[nodiscard]] std::uint16_t port() const override { return listener_.port(); }
  [[nodiscard]] std::size_t open_connections() const override { return open_; }

 private:
  struct Entry {
    std::unique_ptr<Connection> connection;
    std::thread thread;
    std::string peer;  // see peer_network
    bool ending = false;
  };

  void watch(int fd, std::uint32_t events, std::uint64_t token) const;
  void wake() const;
  void run();
  void accept_some();
  void pause_accepting(int error);
  void pause_listening(milliseconds time);
  void resume_accepting();
  [[nodiscard]] bool admits(int socket) const;
  void take(UniqueFd socket, std::string peer);
  void serve(std::uint64_t number, Connection& connection);
  void limit_strangers(const std::string& peer);
  [[nodiscard]] bool make_room(const std::string& peer);
  [[nodiscard]] std::size_t count_ending() const;
  [[nodiscard]] bool evict_one();
  static void evict(Entry& entry);
  void refuse(UniqueFd socket);
  void join_finished();
  void close_refused();
  [[nodiscard]] int longest_wait() const;

  const Service service_;
  const Listener listener_;
  const UniqueFd epoll_;
  const UniqueFd event_;
  std::atomic<std::size_t> open_ = 0;
  std::atomic<bool> stopping_ = false;

  std::mutex mutex_;  // guards finished_
  std::vector<std::uint64_t> finished_;
  std::condition_variable ended_;

  // Used by the server's thread only, and by the destructor after it has ended.
  std::map<std::uint64_t, Entry> connections_;
  std::uint64_t next_number_ = kFirstConnection;
  std::deque<std::pair<Clock::time_point, UniqueFd>> refused_;
  std::optional<Clock::time_point> paused_until_;
  bool pause_was_logged_ = false;
  std::thread thread_;
};

LocalServer::~LocalServer() {
  stopping_ = true;
  wake();
  thread_.join();
  // Refuse new clients at once, not only after the last handler has ended.
  ::shutdown(listener_.socket(), SHUT_RDWR);
  for (const auto& [number, entry] : connections_) {
    entry.connection->end_reading();
    entry.connection->stop();
  }
  {
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, kShutdownGrace, [&] { return finished_.size() == connections_.size(); });
  }
  for (const auto& [number, entry] : connections_) entry.connection->shut_down();
  for (auto& [number, entry] : connections_) entry.thread.join();
}

void LocalServer::watch(int fd, std::uint32_t events, std::uint64_t token) const {
  epoll_event event{};
  event.events = events;
  event.data.u64 = token;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void LocalServer::wake() const {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(event_.get(), &one, sizeof one));
}

void LocalServer::run() {
  std::array<epoll_event, 64> events{};
  while (!stopping_) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), longest_wait());
    for (int i = 0; i < count; ++i) {
      const std::uint64_t token = events[static_cast<std::size_t>(i)].data.u64;
      if (token == kListenerToken) {
        try {
          accept_some();
        } catch (const std::exception&) {
          pause_accepting(ENOMEM);
        }
      } else if (token == kEventToken) {
        std::uint64_t rings = 0;
        static_cast<void>(!::read(event_.get(), &rings, sizeof rings));
      } else if (const auto found = connections_.find(token); found != connections_.end()) {
        found->second.connection->stop();
      }
    }
    join_finished();
    close_refused();
    if (paused_until_ && Clock::now() >= *paused_until_) resume_accepting();
  }
}

int LocalServer::longest_wait() const {
  Clock::time_point next = paused_until_.value_or(Clock::time_point::max());
  if (!refused_.empty()) next = std::min(next, refused_.front().first);
  if (next == Clock::time_point::max()) return -1;
  const auto rest = std::chrono::ceil<milliseconds>(next - Clock::now()).count();
  return static_cast<int>(std::max<long long>(rest, 0));
}

void LocalServer::accept_some() {
  for (int i = 0; i < kAcceptsAtOnce && !paused_until_; ++i) {
    if (service_.options.admit && count_ending() >= kMostEnding) {
      join_finished();
      if (count_ending() >= kMostEnding) return pause_listening(kEndingPause);
    }
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    UniqueFd socket(::accept4(listener_.socket(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC));
    if (socket) {
      pause_was_logged_ = false;
      if (listener_.is_local() && !admits(socket.get())) continue;
      take(std::move(socket), peer_network(peer));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR && errno != ECONNABORTED && errno != EPROTO) {
      // Too many open files or no memory. The errors above mean that this client has disconnected.
      pause_accepting(errno);
    }
  }
}

// The mode of the socket's file keeps other users out, except root.
bool LocalServer::admits(int socket) const {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  const auto& admits_process = service_.options.admits_process;
  return !admits_process || (peer.uid == ::geteuid() && admits_process(peer.pid));
}

// The waiting client keeps the listener readable, so polling it would spin until resources are free.
void LocalServer::pause_accepting(int error) {
  if (!std::exchange(pause_was_logged_, true))
    service_.logger.warning("Cannot accept connections for now", {{"cause", errno_text(error)}});
  static_cast<void>(evict_one());
  pause_listening(kAcceptPause);
}

void LocalServer::pause_listening(milliseconds time) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener_.socket(), nullptr);
  paused_until_ = Clock::now() + time;
}

void LocalServer::resume_accepting() {
  paused_until_.reset();
  watch(listener_.socket(), EPOLLIN, kListenerToken);
}

void LocalServer::take(UniqueFd socket, std::string peer) {
  if (!make_room(peer)) return refuse(std::move(socket));
  const std::uint64_t number = next_number_++;
  auto connection = std::make_unique<Connection>(std::move(socket), number, service_);
  const int fd = connection->socket();
  Entry& entry = connections_[number];
  entry.connection = std::move(connection);
  entry.peer = std::move(peer);
  ++open_;
  try {
    entry.thread =
        std::thread([this, number, &connection = *entry.connection] { serve(number, connection); });
  } catch (const std::system_error& problem) {
    service_.logger.warning("Cannot start a thread for a connection",
                            {{"cause", std::string(problem.what())}});
    --open_;
    connections_.erase(number);
    return;
  }
  // Edge-triggered: reports only disconnects, not data, so that a request costs no system call here. On a
  // unix socket a closed connection differs from one whose sending side was closed.
  watch(fd, EPOLLET | (listener_.is_local() ? 0U : EPOLLRDHUP), number);
}

void LocalServer::serve(std::uint64_t number, Connection& connection) {
  connection.run();
  --open_;
  const std::lock_guard lock(mutex_);
  finished_.push_back(number);
  ended_.notify_all();
  wake();
}

// Makes strangers leave for a new one, so that they cannot fill the server, however many they are.
void LocalServer::limit_strangers(const std::string& peer) {
  const Limits& limits = service_.options.limits;
  const auto oldest = [](Entry*& found, Entry& entry) {
    if (found == nullptr || entry.connection->since() < found->connection->since()) found = &entry;
  };
  std::map<std::string_view, std::size_t> counts;
  Entry* oldest_of_peer = nullptr;
  std::size_t all = 0;
  for (auto& [number, entry] : connections_) {
    if (entry.ending || !entry.connection->is_stranger()) continue;
    ++all;
    ++counts[entry.peer];
    if (entry.peer == peer) oldest(oldest_of_peer, entry);
  }
  if (oldest_of_peer != nullptr && counts[peer] >= std::max<std::size_t>(limits.strangers_of_peer, 1))
    return evict(*oldest_of_peer);
  if (all < std::max<std::size_t>(limits.strangers, 1)) return;
  // Those with the most connections give one up, so that one peer cannot crowd out the others.
  const auto most = std::ranges::max_element(counts, {}, [](const auto& item) { return item.second; });
  Entry* chosen = nullptr;
  for (auto& [number, entry] : connections_)
    if (!entry.ending && entry.connection->is_stranger() && entry.peer == most->first) oldest(chosen, entry);
  if (chosen != nullptr) evict(*chosen);
}

bool LocalServer::make_room(const std::string& peer) {
  if (service_.options.admit) limit_strangers(peer);
  const std::size_t limit = std::max<std::size_t>(service_.options.limits.connections, 1);
  if (connections_.size() < limit) return true;
  join_finished();
  const auto ending = count_ending();
  if (connections_.size() - ending < limit) return true;
  return ending < kMostEnding && evict_one();
}

std::size_t LocalServer::count_ending() const {
  return static_cast<std::size_t>(std::ranges::count_if(connections_, [](const auto& item) {
    return item.second.ending && item.second.connection->phase() != Connection::Phase::kRunning;
  }));
}

// Ends a stranger's connection, else the one that has been idle longest or, if none is idle, the one whose
// request has been arriving longest. Never ends one with a running handler.
bool LocalServer::evict_one() {
  const auto reading_limit = Clock::now() - kReadingGrace;
  Entry* chosen = nullptr;
  std::tuple<bool, Connection::Phase, Clock::time_point> best{};
  for (auto& [number, entry] : connections_) {
    const bool is_known = !entry.connection->is_stranger();
    const std::tuple rank{is_known, entry.connection->phase(), entry.connection->since()};
    const auto& [known, phase, since] = rank;
    if (entry.ending || phase == Connection::Phase::kRunning) continue;
    if (known && phase == Connection::Phase::kReading && since > reading_limit) continue;
    if (chosen != nullptr && best <= rank) continue;
    best = rank;
    chosen = &entry;
  }
  if (chosen == nullptr) return false;
  evict(*chosen);
  return true;
}

// A request that has already arrived is still answered.
void LocalServer::evict(Entry& entry) {
  entry.connection->end_reading();
  entry.ending = true;
}

void LocalServer::refuse(UniqueFd socket) {
  Response response = error_response(503, "Too many open connections. Try again in a moment.");
  response.headers.add("Retry-After", "1");
  if (service_.options.on_refusal) service_.options.on_refusal(response, {.peer = peer_name(socket.get())});
  const std::string text =
      head_text(response, {.length = response.body.size(), .keep_alive = false}) + response.body;
  static_cast<void>(::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  ::shutdown(socket.get(), SHUT_WR);
  if (refused_.size() >= kMostRefused) refused_.pop_front();
  refused_.emplace_back(Clock::now() + kRefusedTime, std::move(socket));
}

void LocalServer::close_refused() {
  while (!refused_.empty() && Clock::now() >= refused_.front().first) refused_.pop_front();
}

void LocalServer::join_finished() {
  std::vector<std::uint64_t> finished;
  {
    const std::lock_guard lock(mutex_);
    finished.swap(finished_);
  }
  for (const std::uint64_t number : finished) {
    const auto found = connections_.find(number);
    found->second.thread.join();
    connections_.erase(found);
  }
}

}  // namespace

Expected<std::unique_ptr<Server>> Server::start(ServerOptions options, Handler handler, Logger& logger) {
  auto listener = Listener::open(options);
  if (!listener) return fail(std::move(listener.error()));
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return fail(system_error("Cannot watch connections", errno));
  UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) return fail(system_error("Cannot watch connections", errno));
  return std::make_unique<LocalServer>(Service{std::move(options), std::move(handler), logger},
                                       std::move(*listener), std::move(epoll), std::move(event));
}

void Refusals::add(const Response& answer, const Refused& refused) {
  std::uint64_t skipped = 0;
  {
    const std::lock_guard lock(mutex_);
    ++counts_[answer.status];
    const Clock::time_point now = Clock::now();
    if (last_logged_ && now - *last_logged_ < std::chrono::seconds(1)) {
      ++not_logged_;
      return;
    }
    last_logged_ = now;
    skipped = std::exchange(not_logged_, 0);
  }
  JsonObject fields{{"status", answer.status}};
  const auto body = parse_json(answer.body);
  if (const Json* reason = body ? body->find("error") : nullptr; reason != nullptr)
    fields.append("reason", *reason);
  const auto add_field = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) fields.append(std::string(name), std::string(utf8_prefix(value, kLongestField)));
  };
  add_field("peer", refused.peer);
  add_field("method", refused.method);
  add_field("path", refused.path);
  if (skipped > 0) fields.append("notLogged", skipped);
  logger_.warning("A request was refused", fields);
}

std::map<int, std::uint64_t> Refusals::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace helve::http
