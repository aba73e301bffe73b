#include "mcp/line_writer.h"

#include "base/file_io.h"

namespace helve::mcp {
namespace {

constexpr std::size_t kFarBehind = std::size_t{32} << 20;

}  // namespace

void LineWriter::write(std::string message) {
  message += '\n';
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [this] { return broken_ || pending_.size() < kFarBehind; });
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

}  // namespace helve::mcp
