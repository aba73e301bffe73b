#include "mcp/http_sessions.h"

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "base/strings.h"

namespace helve::mcp {

std::shared_ptr<EventLog> HttpSession::open_stream() {
  constexpr std::size_t kMostKept = 64;
  const std::lock_guard lock(mutex_);
  // Old finished streams were either delivered or their client did not reconnect.
  for (auto at = streams_.begin(); at != streams_.end() && streams_.size() >= kMostKept;)
    at = at->second->is_finished() ? streams_.erase(at) : std::next(at);
  auto log = std::make_shared<EventLog>(next_stream_);
  streams_.emplace(next_stream_++, log);
  return log;
}

std::shared_ptr<EventLog> HttpSession::stream(std::uint64_t number) const {
  if (number == 0) return own_;
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(number);
  return found != streams_.end() ? found->second : nullptr;
}

void HttpSession::drop_stream(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  streams_.erase(number);
}

HttpSessions::HttpSessions(Server& server, Limits limits, std::function<void()> sweep)
    : server_(server),
      limits_(limits),
      sweep_(std::move(sweep)),
      sweeper_([this](const std::stop_token& stop) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        const auto pause = std::min<std::chrono::milliseconds>(limits_.idle / 2, std::chrono::seconds(30));
        while (!stop.stop_requested()) {
          stopping_.wait_for(lock, stop, pause, [] { return false; });
          forget_idle(limits_.idle);
          sweep_();
        }
      }) {}

HttpSessions::~HttpSessions() {
  sweeper_ = {};
  for (const auto& [id, entry] : sessions_) close(*entry.session);
}

void HttpSessions::close(HttpSession& session) {
  session.stream(0)->finish();
  session.client()->close();
  server_.disconnect(session.client());
}

std::shared_ptr<HttpSession> HttpSessions::create() {
  const auto full = [this] {
    const std::lock_guard lock(mutex_);
    return sessions_.size() >= limits_.sessions;
  };
  if (full()) forget_idle(std::min<std::chrono::milliseconds>(limits_.idle, std::chrono::minutes(1)));
  if (full()) return nullptr;
  auto session = std::make_shared<HttpSession>(random_id("mcp", 32));
  const std::lock_guard lock(mutex_);
  sessions_.emplace(session->id(), Entry{session, Clock::now()});
  return session;
}

std::shared_ptr<HttpSession> HttpSessions::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return nullptr;
  found->second.last_used = Clock::now();
  return found->second.session;
}

bool HttpSessions::end(const std::string& id) {
  std::shared_ptr<HttpSession> session;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return false;
    session = std::move(found->second.session);
    sessions_.erase(found);
  }
  close(*session);
  return true;
}

std::size_t HttpSessions::count() const {
  const std::lock_guard lock(mutex_);
  return sessions_.size();
}

void HttpSessions::forget_idle(std::chrono::milliseconds idle) {
  std::vector<std::string> idle_ones;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, entry] : sessions_) {
      if (entry.session.use_count() > 1)  // a request or an open stream uses it
        entry.last_used = Clock::now();
      else if (Clock::now() - entry.last_used > idle)
        idle_ones.push_back(id);
    }
  }
  for (const std::string& id : idle_ones) end(id);
}

Expected<StatelessSessions::Found> StatelessSessions::find(const Origin& origin) {
  std::shared_ptr<ClientSessionSlot> dropped;  // destroyed after the lock is released: that may take a while
  const std::lock_guard lock(mutex_);
  const auto found = origin.handle.empty()
                         ? std::ranges::find_if(sessions_,
                                                [&](const auto& item) {
                                                  return origin.connection != 0 &&
                                                         item.second.connection == origin.connection &&
                                                         item.second.credential == origin.credential;
                                                })
                         : sessions_.find(origin.handle);
  if (found != sessions_.end() && found->second.credential == origin.credential) {
    found->second.last_used = Clock::now();
    return Found{found->second.slot, found->first};
  }
  if (!origin.handle.empty())
    return fail(ErrorCode::kNotFound, "The session of the header Helve-Session does not exist or has ended.",
                "Send the request without the header to begin a new session.");
  if (sessions_.size() >= most_) dropped = take_oldest_unused();
  if (sessions_.size() >= most_)
    return fail(ErrorCode::kUnavailable, concat("All ", most_, " sessions are in use."),
                "Try again when a request or a job has ended.");
  std::string handle = random_id("session", 32);
  Entry entry{.credential = origin.credential, .connection = origin.connection, .last_used = Clock::now()};
  const auto added = sessions_.emplace(std::move(handle), std::move(entry)).first;
  return Found{added->second.slot, added->first};
}

// Null if each session is used by a request or a job.
std::shared_ptr<ClientSessionSlot> StatelessSessions::take_oldest_unused() {
  auto oldest = sessions_.end();
  for (auto entry = sessions_.begin(); entry != sessions_.end(); ++entry) {
    const auto& slot = entry->second.slot;
    if (slot.use_count() > 1 || slot->is_busy()) continue;
    if (oldest == sessions_.end() || entry->second.last_used < oldest->second.last_used) oldest = entry;
  }
  if (oldest == sessions_.end()) return nullptr;
  auto slot = std::move(oldest->second.slot);
  sessions_.erase(oldest);
  return slot;
}

void StatelessSessions::forget_idle(std::chrono::milliseconds idle) {
  std::vector<std::shared_ptr<ClientSessionSlot>> forgotten;  // destroyed after the lock is released, too
  const std::lock_guard lock(mutex_);
  for (auto entry = sessions_.begin(); entry != sessions_.end();) {
    auto& slot = entry->second.slot;
    auto& last_used = entry->second.last_used;
    const bool is_used = slot.use_count() > 1;  // a request holds it
    if (is_used) last_used = Clock::now();
    if (is_used || Clock::now() - last_used <= idle || slot->is_busy()) {
      ++entry;
      continue;
    }
    forgotten.push_back(std::move(slot));
    entry = sessions_.erase(entry);
  }
}

std::size_t StatelessSessions::count() const {
  const std::lock_guard lock(mutex_);
  return sessions_.size();
}

}  // namespace helve::mcp
