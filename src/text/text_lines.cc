#include "text/text_lines.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace helve::text {
namespace {

bool is_wide(Charset charset) { return TextEncoding{charset}.unit_size() == 2; }

// An ASCII character as a code unit loaded in native byte order.
template <class Unit>
Unit in_memory(char character, Charset charset) {
  const auto value = static_cast<unsigned char>(character);
  if (sizeof(Unit) == 1) return static_cast<Unit>(value);
  const bool same_order = (charset == Charset::kUtf16Le) == (std::endian::native == std::endian::little);
  return static_cast<Unit>(same_order ? value : value << 8);
}

template <class Unit>
Unit load_unit(const char* at) {
  Unit unit;
  std::memcpy(&unit, at, sizeof unit);
  return unit;
}

// 16 bytes at once, on every machine with compiler vector support.
template <class Unit>
struct Vector {
  using Type [[gnu::vector_size(16)]] = Unit;
  static constexpr std::size_t kLanes = 16 / sizeof(Unit);
};

// Sums lanes that were decremented once per match.
template <class Unit>
std::size_t sum_of_lanes(const typename Vector<Unit>::Type& lanes) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < Vector<Unit>::kLanes; ++i) sum += lanes[i];
  return sum;
}

template <class Unit>
std::size_t count_unit(std::string_view bytes, Unit wanted) {
  using Lanes = typename Vector<Unit>::Type;
  const Lanes pattern = Lanes{} + wanted;
  std::size_t count = 0;
  std::size_t at = 0;
  while (at + 64 <= bytes.size()) {
    // A one-byte lane can count 255 matches; two vectors share each of the two sums.
    const std::size_t end = at + std::min<std::size_t>((bytes.size() - at) / 64, 127) * 64;
    Lanes even{};
    Lanes odd{};
    for (; at < end; at += 64) {
      const char* data = bytes.data() + at;
      // A comparison sets all bits, which is -1.
      even -= reinterpret_cast<Lanes>(load_unit<Lanes>(data) == pattern);
      odd -= reinterpret_cast<Lanes>(load_unit<Lanes>(data + 16) == pattern);
      even -= reinterpret_cast<Lanes>(load_unit<Lanes>(data + 32) == pattern);
      odd -= reinterpret_cast<Lanes>(load_unit<Lanes>(data + 48) == pattern);
    }
    count += sum_of_lanes<Unit>(even) + sum_of_lanes<Unit>(odd);
  }
  for (; at + sizeof(Unit) <= bytes.size(); at += sizeof(Unit))
    count += load_unit<Unit>(bytes.data() + at) == wanted;
  return count;
}

struct EndingCounts {
  std::size_t lf = 0;
  std::size_t cr = 0;
  std::size_t crlf = 0;  // pairs within the bytes
};

// Counts all three in one pass; pairs are found by comparing each place with the one before.
template <class Unit>
EndingCounts count_endings(std::string_view bytes, Charset charset) {
  using Lanes = typename Vector<Unit>::Type;
  const Unit lf = in_memory<Unit>('\n', charset);
  const Unit cr = in_memory<Unit>('\r', charset);
  const Lanes lfs = Lanes{} + lf;
  const Lanes crs = Lanes{} + cr;
  EndingCounts counts;
  if (sizeof(Unit) == 1 && std::memchr(bytes.data(), '\r', bytes.size()) == nullptr) {
    counts.lf = count_unit(bytes, lf);  // most files, most of the time
    return counts;
  }
  counts.lf += load_unit<Unit>(&bytes[0]) == lf;
  counts.cr += load_unit<Unit>(&bytes[0]) == cr;
  std::size_t at = sizeof(Unit);
  while (at + 16 <= bytes.size()) {
    const std::size_t end = at + std::min<std::size_t>((bytes.size() - at) / 16, 255) * 16;
    Lanes lf_sum{};
    Lanes cr_sum{};
    Lanes pair_sum{};
    for (; at < end; at += 16) {
      const Lanes here = load_unit<Lanes>(bytes.data() + at);
      const Lanes before = load_unit<Lanes>(bytes.data() + at - sizeof(Unit));
      const auto is_lf = here == lfs;
      lf_sum -= reinterpret_cast<Lanes>(is_lf);
      cr_sum -= reinterpret_cast<Lanes>(here == crs);
      pair_sum -= reinterpret_cast<Lanes>(is_lf & (before == crs));
    }
    counts.lf += sum_of_lanes<Unit>(lf_sum);
    counts.cr += sum_of_lanes<Unit>(cr_sum);
    counts.crlf += sum_of_lanes<Unit>(pair_sum);
  }
  for (; at + sizeof(Unit) <= bytes.size(); at += sizeof(Unit)) {
    const bool is_lf = load_unit<Unit>(bytes.data() + at) == lf;
    counts.lf += is_lf;
    counts.cr += load_unit<Unit>(bytes.data() + at) == cr;
    counts.crlf += is_lf && load_unit<Unit>(bytes.data() + at - sizeof(Unit)) == cr;
  }
  return counts;
}

// The offset of the next break character at or after `from`; bytes.size() when there is none.
std::size_t find_break(std::string_view bytes, std::size_t from, const LineFormat& format) {
  if (!is_wide(format.charset)) return std::min(bytes.find(format.break_character, from), bytes.size());
  const auto wanted = in_memory<char16_t>(format.break_character, format.charset);
  for (; from + 2 <= bytes.size(); from += 2)
    if (load_unit<char16_t>(bytes.data() + from) == wanted) return from;
  return bytes.size();
}

}  // namespace

std::string_view to_string(LineEnding ending) {
  switch (ending) {
    case LineEnding::kLf: return "LF";
    case LineEnding::kCrLf: return "CRLF";
    case LineEnding::kCr: return "CR";
  }
  return "LF";
}

std::string_view characters_of(LineEnding ending) {
  switch (ending) {
    case LineEnding::kLf: return "\n";
    case LineEnding::kCrLf: return "\r\n";
    case LineEnding::kCr: return "\r";
  }
  return "\n";
}

std::optional<LineEnding> LineCounts::dominant() const {
  if (breaks() == 0) return std::nullopt;
  if (uses_cr()) return LineEnding::kCr;
  return crlf > lf ? LineEnding::kCrLf : LineEnding::kLf;
}

void LineCounter::add_units(std::string_view units) {
  if (units.empty()) return;
  const bool wide = is_wide(charset_);
  const auto unit_at = [&](std::size_t at) {
    return wide ? load_unit<char16_t>(units.data() + at)
                : static_cast<char16_t>(load_unit<unsigned char>(units.data() + at));
  };
  const EndingCounts counts =
      wide ? count_endings<char16_t>(units, charset_) : count_endings<unsigned char>(units, charset_);
  const char16_t lf = wide ? in_memory<char16_t>('\n', charset_) : u'\n';
  const char16_t cr = wide ? in_memory<char16_t>('\r', charset_) : u'\r';
  lf_ += counts.lf;
  cr_ += counts.cr;
  crlf_ += counts.crlf;
  if (last_ == cr && unit_at(0) == lf) ++crlf_;
  last_ = unit_at(units.size() - (wide ? 2 : 1));
}

void LineCounter::add(std::string_view chunk) {
  bytes_ += chunk.size();
  if (!is_wide(charset_)) return add_units(chunk);
  if (half_ && !chunk.empty()) {
    const char whole[2] = {*half_, chunk[0]};
    half_.reset();
    add_units({whole, 2});
    chunk.remove_prefix(1);
  }
  add_units(chunk.substr(0, chunk.size() / 2 * 2));
  if (chunk.size() % 2 == 1) half_ = chunk.back();
}

LineCounts LineCounter::counts() const {
  const bool wide = is_wide(charset_);
  const auto is_last = [&](char character) {
    return !half_ && bytes_ > 0 &&
           last_ == (wide ? in_memory<char16_t>(character, charset_) : char16_t(character));
  };
  return {bytes_, lf_ - crlf_, crlf_, cr_ - crlf_, is_last('\n'), is_last('\r')};
}

LineCounts count_lines(std::string_view bytes, Charset charset) {
  LineCounter counter(charset);
  counter.add(bytes);
  return counter.counts();
}

std::size_t count_breaks(std::string_view bytes, const LineFormat& format) {
  if (is_wide(format.charset))
    return count_unit(bytes, in_memory<char16_t>(format.break_character, format.charset));
  return count_unit(bytes, static_cast<unsigned char>(format.break_character));
}

std::optional<std::size_t> find_line(std::string_view bytes, std::size_t line, const LineFormat& format) {
  constexpr std::size_t kBlock = std::size_t{16} * 1024;
  const std::size_t width = is_wide(format.charset) ? 2 : 1;
  std::size_t left = line - std::min<std::size_t>(line, 1);
  std::size_t at = 0;
  while (left > 0 && at < bytes.size()) {
    const std::size_t breaks = count_breaks(bytes.substr(at, kBlock), format);
    if (breaks >= left) break;
    left -= breaks;
    at = std::min(at + kBlock, bytes.size());
  }
  for (; left > 0; --left) {
    at = find_break(bytes, at, format) + width;
    if (at > bytes.size()) return std::nullopt;
  }
  return at;
}

std::size_t line_of(std::string_view bytes, std::size_t offset, const LineFormat& format) {
  return count_breaks(bytes.substr(0, offset), format) + 1;
}

std::optional<Line> next_line(std::string_view& rest, const LineFormat& format) {
  if (rest.empty()) return std::nullopt;
  const bool wide = is_wide(format.charset);
  const std::size_t width = wide ? 2 : 1;
  std::size_t found = rest.size();
  if (wide) {
    found = find_break(rest, 0, format);
  } else if (const void* at = std::memchr(rest.data(), format.break_character, rest.size()); at != nullptr) {
    found = static_cast<std::size_t>(static_cast<const char*>(at) - rest.data());
  }
  std::size_t text = found;
  const auto is_cr_at = [&](std::size_t at) {
    return wide ? load_unit<char16_t>(rest.data() + at) == in_memory<char16_t>('\r', format.charset)
                : rest[at] == '\r';
  };
  const bool has_ending = found < rest.size();
  if (has_ending && format.break_character == '\n' && text >= width && is_cr_at(text - width)) text -= width;
  const std::size_t end = has_ending ? found + width : rest.size();
  const Line line{rest.substr(0, text), rest.substr(text, end - text)};
  rest.remove_prefix(end);
  return line;
}

}  // namespace helve::text
