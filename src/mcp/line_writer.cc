#include "mcp/line_writer.h"

#include "base/file_io.h"

namespace helve::mcp {
namespace {

constexpr std::size_t kFarBehind = std::size_t{32} << 20;

}  // namespace

void LineWriter::write(std::string_view message) {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [this] { return broken_ || pending_.size() < kFarBehind; });
  if (broken_) return;
  pending_.append(message).push_back('\n');
  if (writing_) return;
  writing_ = true;
  while (!pending_.empty() && !broken_) {
    std::string batch;
    batch.swap(pending_);
    lock.unlock();
    const bool written = write_all(fd_, batch).has_value();
    lock.lock();
    broken_ = broken_ || !written;
    taken_.notify_all();
  }
  writing_ = false;
}

bool LineWriter::is_broken() const {
  const std::lock_guard lock(mutex_);
  return broken_;
}

}  // namespace helve::mcp
