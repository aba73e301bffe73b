#include "mcp/stdio.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "base/threads.h"
#include "mcp/message_intake.h"

namespace helve::mcp {
namespace {

constexpr std::size_t kMostPending = std::size_t{32} << 20;

// Writes messages as lines. Messages that arrive during a write are written together afterwards; `write`
// blocks while too many are pending. May be used from all threads.
class LineWriter {
 public:
  explicit LineWriter(int fd) : fd_(fd) {}

  void write(std::string message);
  // Whether the reader has closed the pipe.
  [[nodiscard]] bool is_broken() const;

 private:
  const int fd_;
  mutable std::mutex mutex_;
  std::condition_variable taken_;
  std::string pending_;
  bool writing_ = false;
  bool broken_ = false;
};

void LineWriter::write(std::string message) {
  message += '\n';
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [this] { return broken_ || pending_.size() < kMostPending; });
  if (broken_) return;
  if (writing_) {
    pending_ += message;
    return;
  }
  writing_ = true;
  while (!message.empty() && !broken_) {
    lock.unlock();
    const bool written = write_all(fd_, message).has_value();
    message.clear();
    lock.lock();
    broken_ = broken_ || !written;
    message.swap(pending_);
    taken_.notify_all();
  }
  writing_ = false;
}

bool LineWriter::is_broken() const {
  const std::lock_guard lock(mutex_);
  return broken_;
}

class LineResponder final : public Responder {
 public:
  explicit LineResponder(std::shared_ptr<LineWriter> writer) : writer_(std::move(writer)) {}
  void send(const Json& message) override { writer_->write(to_text(message)); }
  void answer(rpc::Response response) override { writer_->write(to_text(to_json(std::move(response)))); }

 private:
  const std::shared_ptr<LineWriter> writer_;
};

// Leader/follower threads: the thread that reads a request also works on it, so a quick request needs no
// thread switch. One waiting thread, the watcher, checks every few milliseconds and takes over reading when
// the work takes longer. After two slow requests in a row the reader hands over at once. When all threads are
// working, requests are queued, but cancellations are still read.
class StdioServer {
 public:
  StdioServer(Server& server, std::shared_ptr<Client> client, const StdioOptions& options)
      : server_(server), client_(std::move(client)), options_(options) {
    client_->set_outlet([writer = writer_](const Json& message) { writer->write(to_text(message)); });
  }

  void run() {
    if (!start_thread()) {
      // Without another thread, this one does all the work.
      {
        const std::lock_guard lock(mutex_);
        ++threads_;
        ++waiting_;
      }
      work_until_the_end();
    }
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return input_ended_ || threads_ == 0; });
    while (threads_ > 0) {
      ended_.wait_for(lock, std::chrono::milliseconds(100), [this] { return threads_ == 0; });
      if (is_output_open()) continue;  // otherwise nobody can receive the answers
      lock.unlock();
      client_->cancel_all();
      lock.lock();
    }
    lock.unlock();
    server_.disconnect(client_);
  }

 private:
  using Asked = Intake::Asked;

  [[nodiscard]] bool is_output_open() const {
    if (writer_->is_broken()) return false;
    pollfd out{options_.out, 0, 0};
    return ::poll(&out, 1, 0) <= 0 || (out.revents & (POLLERR | POLLHUP)) == 0;
  }

  [[nodiscard]] bool start_thread() {
    const std::lock_guard lock(mutex_);
    std::thread thread;
    if (!try_start_thread(thread, [this] { work_until_the_end(); })) return false;
    thread.detach();
    ++threads_;
    ++waiting_;
    return true;
  }

  void work_until_the_end() {
    work();
    const std::lock_guard ended(mutex_);
    --threads_;
    ended_.notify_all();
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

  // Returns whether this thread still has the turn to read.
  bool serve(Asked asked, bool has_turn) {
    const std::uint64_t work = has_turn ? offer_turn() : 0;
    const auto start = std::chrono::steady_clock::now();
    const rpc::Protocol protocol =
        Server::is_stateless(asked.request) ? rpc::Protocol::kStateless : rpc::Protocol::kSessionBased;
    server_.serve(client_, protocol, std::move(asked.request), asked.responder);
    const bool was_quick = std::chrono::steady_clock::now() - start < kQuick;
    const std::lock_guard lock(mutex_);
    slow_in_a_row_ = was_quick ? 0 : slow_in_a_row_ + 1;
    if (work == 0 || turn_ != Turn::kWorking || work != work_) return false;
    turn_ = Turn::kReading;
    return true;
  }

  // Lets the watcher take the turn if the work takes long. Returns 0 if the turn was handed over at once.
  std::uint64_t offer_turn() {
    const std::lock_guard lock(mutex_);
    // A single slow request may only have been preempted.
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

  // Returns when the turn is free, or when its owner has worked on the same request for a while.
  void watch(std::unique_lock<std::mutex>& lock) {
    std::uint64_t seen = 0;
    for (int looks = 0; turn_ != Turn::kFree; ++looks) {
      if (turn_ == Turn::kWorking) {
        if (seen == work_) return;
        seen = work_;
        looks = 0;
      }
      watcher_sleeps_ = looks >= kLooks;  // no request has arrived for a while
      if (watcher_sleeps_)
        watcher_.wait(lock, [this] { return !watcher_sleeps_; });
      else
        watcher_.wait_for(lock, kBetweenLooks);
    }
  }

  // Under one lock, so that no request is queued unseen while this thread goes back to waiting.
  std::optional<Asked> next_queued(bool has_turn, bool& stay) {
    const std::lock_guard lock(mutex_);
    if (!queued_.empty()) return take_queued();
    if (has_turn) return {};
    stay = waiting_ < kMostIdle;
    if (stay) ++waiting_;
    return {};
  }

  std::optional<Asked> take_queued() {
    if (queued_.empty()) return {};
    Asked asked = std::move(queued_.front());
    queued_.pop_front();
    return asked;
  }

  // Reads the next request for this thread, which has the turn. At the end of the input it frees the turn, so
  // that the other threads see the end, too.
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
        responder->answer(not_json(message.error(), *line));
        continue;
      }
      Intake intake = take_in(server_, client_, *std::move(message), responder,
                              [writer = writer_](const JsonArray& all) { writer->write(to_text(all)); });
      if (intake.requests.empty()) continue;
      if (auto mine = take_first(std::move(intake.requests))) return mine;
    }
  }

  // Returns one request for this thread if another thread can read on, and queues the rest.
  std::optional<Asked> take_first(std::vector<Asked> requests) {
    std::optional<Asked> mine;
    bool start = false;
    {
      const std::lock_guard lock(mutex_);
      start = waiting_ == 0 && threads_ < options_.most_threads;
      auto from = requests.begin();
      if (start || waiting_ > 0) mine = std::move(*from++);
      for (; from != requests.end(); ++from) {
        client_->add_queued(from->request.id);
        queued_.push_back(std::move(*from));
      }
    }
    if (start && !start_thread()) {
      // If other threads are working, they take it when they are done, and this one reads on. If not, it
      // works on the request first.
      const std::lock_guard lock(mutex_);
      if (threads_ - waiting_ > 1) {
        client_->add_queued(mine->request.id);
        queued_.push_front(*std::move(mine));
        mine.reset();
      }
    }
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

  // The last line may lack its line break.
  std::optional<std::string> last_line() {
    if (begin_ == buffer_.size()) return {};
    std::string line = buffer_.substr(begin_);
    buffer_.clear();
    begin_ = searched_ = 0;
    return line;
  }

  // Answers with an error and skips the rest of the line.
  std::string refuse_long_line() {
    LineResponder(writer_).answer(
        {.id = rpc::id_in_malformed(std::string_view(buffer_).substr(begin_)),
         .failure = rpc::Failure{
             rpc::kInvalidRequest,
             concat("A message may have at most ", with_thousands(options_.longest_message), " bytes.")}});
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
  static constexpr std::size_t kMostIdle = 4;  // threads that wait for the turn
  static constexpr auto kQuick = std::chrono::microseconds(300);
  static constexpr auto kBetweenLooks = std::chrono::milliseconds(4);
  static constexpr int kLooks = 5;  // without a request, until the watcher sleeps

  Server& server_;
  const std::shared_ptr<Client> client_;
  const StdioOptions options_;
  // Shared, because responders may write after serving has ended.
  const std::shared_ptr<LineWriter> writer_ = std::make_shared<LineWriter>(options_.out);

  std::string buffer_;        // this and the next two are used only by the thread that has the turn
  std::size_t begin_ = 0;     // start of the current line
  std::size_t searched_ = 0;  // no line break before this offset

  std::mutex mutex_;
  std::condition_variable ended_;
  std::deque<Asked> queued_;
  std::size_t threads_ = 0;
  std::size_t waiting_ = 0;                                           // threads that wait for the turn
  enum class Turn { kFree, kReading, kWorking } turn_ = Turn::kFree;  // what its owner does
  std::uint64_t work_ = 0;                                            // number of the current request
  std::size_t slow_in_a_row_ = 0;
  bool is_watched_ = false;      // whether there is a watcher
  bool watcher_sleeps_ = false;  // and must be woken
  std::condition_variable watcher_;
  std::condition_variable others_;  // waiting threads that are not the watcher
  bool input_ended_ = false;
};

}  // namespace

void serve_stdio(Server& server, const std::shared_ptr<Client>& client, const StdioOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);  // a client that disconnects must not kill the process
  StdioServer(server, client, options).run();
}

}  // namespace helve::mcp
