#include "base/json_writer.h"

namespace helve {
namespace {

constexpr std::size_t kUsualLength = 1000;
constexpr std::size_t kMaxReserved = std::size_t{16} << 10;

std::string write_json(const Json& value, bool pretty) {
  // Consecutive texts of one thread often have similar lengths.
  thread_local std::size_t expected = kUsualLength;
  std::string text;
  text.reserve(std::clamp(expected, kUsualLength, kMaxReserved));
  JsonWriter writer(text, pretty);
  writer.write(value);
  writer.finish();
  expected = text.size() + text.size() / 8;
  return text;
}

}  // namespace

std::string to_text(const Json& value) { return write_json(value, false); }

std::string to_pretty_text(const Json& value) { return write_json(value, true); }

ObjectText::ObjectText() : writer_(reserved(out_), false) {}

std::string& ObjectText::reserved(std::string& out) {
  out.reserve(kUsualLength);
  return out;
}

ObjectText& ObjectText::add(std::string_view key, std::string_view value) {
  begin(key);
  writer_.write_string(value);
  return *this;
}

ObjectText& ObjectText::add(std::string_view key, std::int64_t value) { return add_json(key, value); }

ObjectText& ObjectText::add_json(std::string_view key, const Json& value) {
  begin(key);
  writer_.write(value);
  return *this;
}

ObjectText& ObjectText::add_written(std::string_view key, std::string_view json) {
  begin(key);
  writer_.add_written(json);
  return *this;
}

void ObjectText::begin(std::string_view key) {
  writer_.write_key(key, is_empty_);
  is_empty_ = false;
}

std::string ObjectText::take() {
  if (is_empty_) return "{}";
  writer_.write_end();
  writer_.finish();
  return std::move(out_);
}

}  // namespace helve
