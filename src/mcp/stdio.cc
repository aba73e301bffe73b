#include "mcp/stdio.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <deque>
#include <thread>

#include "base/json_parse.h"
#include "base/strings.h"
#include "mcp/line_writer.h"
#include "mcp/message_intake.h"

namespace helve::mcp {
namespace {

class LineResponder final : public Responder {
 public:
  explicit LineResponder(std::shared_ptr<LineWriter> writer) : writer_(std::move(writer)) {}
  void send(const Json& message) override { writer_->write(to_text(message)); }
  void answer(rpc::Response response) override { writer_->write(to_text(to_json(std::move(response)))); }

 private:
  const std::shared_ptr<LineWriter> writer_;
};

// The thread that reads a request also works on it. When that is quick, it reads on itself: nothing is handed
// over and nobody is woken. One of the threads that wait for their turn to read looks at it every few
// milliseconds, and takes the turn when the work takes longer; while calls take long, the turn is given away
// at once. So a slow call keeps nobody from being heard. Only when all threads are at work, requests wait in
// a line, while cancellations are still read.
class StdioServing {
 public:
  StdioServing(Server& server, std::shared_ptr<Client> client, const StdioOptions& options)
      : server_(server), client_(std::move(client)), options_(options) {
    client_->set_outlet([writer = writer_](const Json& message) { writer->write(to_text(message)); });
  }

  void run() {
    start_thread();
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return input_ended_ || threads_ == 0; });
    while (threads_ > 0) {
      ended_.wait_for(lock, std::chrono::milliseconds(100), [this] { return threads_ == 0; });
      if (is_heard()) continue;  // when nobody is, the calls have no one to work for
      lock.unlock();
      client_->cancel_all();
      lock.lock();
    }
    lock.unlock();
    server_.leave(client_);
  }

 private:
  using Asked = Intake::Asked;

  [[nodiscard]] bool is_heard() const {
    if (writer_->is_broken()) return false;
    pollfd out{options_.out, 0, 0};
    return ::poll(&out, 1, 0) <= 0 || (out.revents & (POLLERR | POLLHUP)) == 0;
  }

  void start_thread() {
    const std::lock_guard lock(mutex_);
    ++threads_;
    ++waiting_;
    std::thread([this] {
      work();
      const std::lock_guard ended(mutex_);
      --threads_;
      ended_.notify_all();
    }).detach();
  }

  void work() {
    for (bool stay = true; stay;) {
      wait_for_turn();
      bool has_turn = true;
      do {
        auto asked = next(has_turn);
        if (!asked) return;
        for (; asked; asked = next_queued(has_turn, stay)) has_turn = serve(*std::move(asked), has_turn);
      } while (has_turn);
    }
  }

  // Whether the turn, if this thread had it, is still its own.
  bool serve(Asked asked, bool has_turn) {
    const std::uint64_t work = has_turn ? lend_turn() : 0;
    const auto start = std::chrono::steady_clock::now();
    const rpc::Era era = Server::is_modern(asked.request) ? rpc::Era::kModern : rpc::Era::kOld;
    server_.serve(client_, era, std::move(asked.request), asked.responder);
    const bool was_quick = std::chrono::steady_clock::now() - start < kQuick;
    const std::lock_guard lock(mutex_);
    slow_in_a_row_ = was_quick ? 0 : slow_in_a_row_ + 1;
    if (work == 0 || turn_ != Turn::kWorking || work != work_) return false;
    turn_ = Turn::kReading;
    return true;
  }

  // 0 when the turn was given away.
  std::uint64_t lend_turn() {
    const std::lock_guard lock(mutex_);
    // One slow call may only have been interrupted.
    turn_ = slow_in_a_row_ < 2 ? Turn::kWorking : Turn::kFree;
    if (turn_ == Turn::kFree || watcher_sleeps_) watcher_.notify_one();
    watcher_sleeps_ = false;
    return turn_ == Turn::kFree ? 0 : ++work_;
  }

  void wait_for_turn() {
    std::unique_lock lock(mutex_);
    others_.wait(lock, [this] { return !is_watched_; });
    is_watched_ = true;
    watch(lock);
    is_watched_ = false;
    others_.notify_one();
    turn_ = Turn::kReading;
    --waiting_;
  }

  // Until the turn is free, or whoever has it has been at the same work for a while.
  void watch(std::unique_lock<std::mutex>& lock) {
    std::uint64_t seen = 0;
    for (int looks = 0; turn_ != Turn::kFree; ++looks) {
      if (turn_ == Turn::kWorking) {
        if (seen == work_) return;
        seen = work_;
        looks = 0;
      }
      watcher_sleeps_ = looks >= kLooks;  // nothing has come for a while
      if (watcher_sleeps_)
        watcher_.wait(lock, [this] { return !watcher_sleeps_; });
      else
        watcher_.wait_for(lock, kBetweenLooks);
    }
  }

  // In one step, so that no request gets into the line unseen while this thread turns to reading.
  std::optional<Asked> next_queued(bool has_turn, bool& stay) {
    const std::lock_guard lock(mutex_);
    if (!queued_.empty()) return take_queued();
    if (has_turn) return {};
    stay = waiting_ < kIdle;
    if (stay) ++waiting_;
    return {};
  }

  std::optional<Asked> take_queued() {
    if (queued_.empty()) return {};
    Asked asked = std::move(queued_.front());
    queued_.pop_front();
    return asked;
  }

  // A request for this thread, which has the turn, to work on; nothing when the input has ended. Then the
  // next one sees that, too.
  std::optional<Asked> next(bool& has_turn) {
    for (;;) {
      auto line = read_line();
      if (!line) {
        client_->close();
        const std::lock_guard lock(mutex_);
        input_ended_ = true;
        ended_.notify_all();
        has_turn = false;
        turn_ = Turn::kFree;
        watcher_sleeps_ = false;
        watcher_.notify_one();
        return take_queued();
      }
      if (trim(*line).empty()) continue;
      const auto responder = std::make_shared<LineResponder>(writer_);
      auto message = parse_json(*line);
      if (!message) {
        responder->answer(not_json(message.error()));
        continue;
      }
      Intake intake = take_in(server_, client_, *std::move(message), responder,
                              [writer = writer_](const JsonArray& all) { writer->write(to_text(all)); });
      if (intake.requests.empty()) continue;
      if (auto mine = divide(std::move(intake.requests))) return mine;
    }
  }

  // One request for this thread, if another can read on; the rest waits in line.
  std::optional<Asked> divide(std::vector<Asked> requests) {
    std::optional<Asked> mine;
    bool start = false;
    {
      const std::lock_guard lock(mutex_);
      start = waiting_ == 0 && threads_ < options_.most_threads;
      auto from = requests.begin();
      if (start || waiting_ > 0) mine = std::move(*from++);
      for (; from != requests.end(); ++from) {
        client_->announce(from->request.id);
        queued_.push_back(std::move(*from));
      }
    }
    if (start) start_thread();
    return mine;
  }

  std::optional<std::string> read_line() {
    for (;;) {
      if (const std::size_t end = buffer_.find('\n', searched_); end != std::string::npos) {
        std::string line = buffer_.substr(begin_, end - begin_);
        begin_ = searched_ = end + 1;
        if (begin_ == buffer_.size()) buffer_.clear(), begin_ = searched_ = 0;
        return line;
      }
      searched_ = buffer_.size();
      if (searched_ - begin_ > options_.longest_message) return refuse_long_line();
      if (begin_ > kChunk) buffer_.erase(0, begin_), searched_ -= begin_, begin_ = 0;
      if (!fill()) return last_line();
    }
  }

  bool fill() {
    const std::size_t size = buffer_.size();
    ssize_t count = 0;
    buffer_.resize_and_overwrite(size + kChunk, [&](char* data, std::size_t) {
      do count = ::read(options_.in, data + size, kChunk);
      while (count < 0 && errno == EINTR);
      return size + static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    });
    return count > 0;
  }

  // What has no line break at its end.
  std::optional<std::string> last_line() {
    if (begin_ == buffer_.size()) return {};
    std::string line = buffer_.substr(begin_);
    buffer_.clear();
    begin_ = searched_ = 0;
    return line;
  }

  // Says so, and reads over the rest of the line.
  std::string refuse_long_line() {
    LineResponder(writer_).answer(
        {.failure = rpc::Failure{
             rpc::kInvalidRequest,
             concat("A message may have ", with_thousands(options_.longest_message), " bytes.")}});
    for (;;) {
      if (const std::size_t end = buffer_.find('\n', begin_); end != std::string::npos) {
        begin_ = searched_ = end + 1;
        return {};
      }
      buffer_.clear();
      begin_ = searched_ = 0;
      if (!fill()) return {};
    }
  }

  static constexpr std::size_t kChunk = std::size_t{64} << 10;
  static constexpr std::size_t kIdle = 4;  // threads that wait for their turn to read
  static constexpr auto kQuick = std::chrono::microseconds(300);
  static constexpr auto kBetweenLooks = std::chrono::milliseconds(4);
  static constexpr int kLooks = 5;  // in vain, until the watcher goes to sleep

  Server& server_;
  const std::shared_ptr<Client> client_;
  const StdioOptions options_;
  // Also of those who send a last word when the serving is over.
  const std::shared_ptr<LineWriter> writer_ = std::make_shared<LineWriter>(options_.out);

  std::string buffer_;        // this and the next two belong to the thread that has the turn
  std::size_t begin_ = 0;     // of the line that is being read
  std::size_t searched_ = 0;  // so far there is no line break

  std::mutex mutex_;
  std::condition_variable ended_;
  std::deque<Asked> queued_;
  std::size_t threads_ = 0;
  std::size_t waiting_ = 0;                                           // for their turn to read
  enum class Turn { kFree, kReading, kWorking } turn_ = Turn::kFree;  // what the thread that has it does
  std::uint64_t work_ = 0;                                            // counts what is done with the turn
  std::size_t slow_in_a_row_ = 0;
  bool is_watched_ = false;      // by one of those that wait
  bool watcher_sleeps_ = false;  // and has to be woken
  std::condition_variable watcher_;
  std::condition_variable others_;  // that wait, in the watcher's line
  bool input_ended_ = false;
};

}  // namespace

void serve_stdio(Server& server, const std::shared_ptr<Client>& client, const StdioOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);  // a client that goes away is no reason to die, but to end in order
  StdioServing(server, client, options).run();
}

}  // namespace helve::mcp
