#include "http/sse.h"

#include <system_error>
#include <utility>

#include "base/strings.h"
#include "base/to_number.h"

namespace helve::http {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kNotInId("\0\r\n", 3);

std::size_t line_end(std::string_view text, std::size_t from) {
  while (from < text.size() && text[from] != '\n' && text[from] != '\r') ++from;
  return from;
}

// Accepts only digits in range; rejects "1e3" and "-1".
std::optional<long> to_milliseconds(std::string_view digits) {
  return digits.starts_with('-') ? std::nullopt : to_number<long>(digits);
}

}  // namespace

std::string to_text(const SentEvent& event) {
  std::string text;
  text.reserve(event.data.size() + event.event.size() + 64);
  if (!event.event.empty()) {
    text += "event: ";
    // A line break would start another field.
    for (const char c : event.event) text += c == '\n' || c == '\r' ? ' ' : c;
    text += '\n';
  }
  if (event.id && event.id->find_first_of(kNotInId) == std::string::npos)
    text.append("id: ").append(*event.id).append("\n");
  if (event.retry_ms) text += concat("retry: ", *event.retry_ms, '\n');
  const std::string_view data = event.data;
  for (std::size_t begin = 0;;) {
    const std::size_t end = line_end(data, begin);
    text.append("data: ").append(data.substr(begin, end - begin)).append("\n");
    if (end == data.size()) break;
    begin = end + (data.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  text += '\n';
  return text;
}

bool SseReader::feed(std::string_view piece, const std::function<void(SentEvent&&)>& on_event) {
  if (too_long_) return false;
  for (std::size_t begin = 0; begin < piece.size();) {
    if (std::exchange(after_cr_, false) && piece[begin] == '\n') {
      ++begin;
      continue;
    }
    const std::size_t end = line_end(piece, begin);
    if (event_.data.size() + event_.event.size() + line_.size() + (end - begin) > event_limit_) {
      too_long_ = true;
      line_ = {};
      event_ = {};
      return false;
    }
    line_ += piece.substr(begin, end - begin);
    if (end == piece.size()) break;
    after_cr_ = piece[end] == '\r';
    begin = end + 1;
    end_line(on_event);
  }
  return true;
}

void SseReader::end_line(const std::function<void(SentEvent&&)>& on_event) {
  std::string_view line = line_;
  if (std::exchange(at_start_, false) && line.starts_with(kByteOrderMark))
    line.remove_prefix(kByteOrderMark.size());
  if (line.empty()) {
    SentEvent event = std::exchange(event_, {});
    line_.clear();
    if (std::exchange(has_data_, false)) on_event(std::move(event));
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    if (std::exchange(has_data_, true)) event_.data += '\n';
    event_.data += value;
  } else if (name == "event") {
    event_.event = value;
  } else if (name == "id" && value.find('\0') == std::string_view::npos) {
    event_.id = last_id_ = std::string(value);
  } else if (name == "retry") {
    if (const auto time = to_milliseconds(value)) event_.retry_ms = retry_ms_ = time;
  }
  line_.clear();
}

}  // namespace helve::http
