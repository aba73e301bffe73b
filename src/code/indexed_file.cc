#include "code/indexed_file.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "base/ascii.h"
#include "base/sha256.h"
#include "code/extract.h"
#include "code/source_text.h"

namespace helve::code {
namespace {

// Files that take longer to parse are skipped.
constexpr std::chrono::seconds kLongestParse{5};
constexpr std::size_t kMostWords = 20'000;

std::int64_t nanoseconds(const struct timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

template <class Number>
Number clamped(std::size_t value) {
  return static_cast<Number>(std::min<std::size_t>(value, std::numeric_limits<Number>::max()));
}

bool begins_word(char c) {
  return is_letter(c) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}
bool continues_word(char c) { return begins_word(c) || is_digit(c); }

// The end of the comment or literal that begins at i, or of the single character there.
std::size_t end_of_prose(std::string_view text, std::size_t i, bool hash_comments) {
  const char c = text[i];
  const char next = i + 1 < text.size() ? text[i + 1] : '\0';
  if ((hash_comments && c == '#') || (!hash_comments && c == '/' && next == '/'))
    return std::min(text.find('\n', i), text.size());
  if (!hash_comments && c == '/' && next == '*') {
    const std::size_t end = text.find("*/", i + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  if (c != '"' && c != '\'') return i + 1;
  if (text.substr(i, 3) == "\"\"\"") {
    const std::size_t end = text.find("\"\"\"", i + 3);
    return end == std::string_view::npos ? text.size() : end + 3;
  }
  // Only within the line, so that a stray quote, such as a Rust lifetime, affects no more than that.
  for (std::size_t at = i + 1; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == c) return at + 1;
    if (text[at] == '\\') ++at;
  }
  return i + 1;
}

// Stores each distinct text once in a common string.
class Interner {
 public:
  explicit Interner(std::string& out) : out_(out) {}
  std::uint32_t put(const std::string& text) {
    const auto [place, is_new] = places_.try_emplace(text, static_cast<std::uint32_t>(out_.size()));
    if (is_new) out_ += text;
    return place->second;
  }

 private:
  std::string& out_;
  std::unordered_map<std::string, std::uint32_t> places_;
};

}  // namespace

FileStamp stamp_of(const struct stat& status) {
  return {.modified = nanoseconds(status.st_mtim),
          .changed = nanoseconds(status.st_ctim),
          .size = static_cast<std::uint64_t>(status.st_size),
          .inode = status.st_ino};
}

std::size_t IndexedFile::memory() const {
  return sizeof *this + path.capacity() + names.capacity() + symbols.capacity() * sizeof(IndexedSymbol) +
         words.capacity() * sizeof(std::uint32_t);
}

std::uint64_t content_hash(std::string_view bytes) {
  const std::string hex = sha256_hex(bytes);
  std::uint64_t hash = 0;
  std::from_chars(hex.data(), hex.data() + 16, hash, 16);
  return hash;
}

std::uint32_t word_hash(std::string_view word) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

std::vector<std::uint32_t> words_of(std::string_view text, bool hash_comments) {
  std::vector<std::uint32_t> words;
  for (std::size_t i = 0; i < text.size();) {
    if (begins_word(text[i])) {
      const std::size_t begin = i;
      while (i < text.size() && continues_word(text[i])) ++i;
      if (i - begin >= 2) words.push_back(word_hash(text.substr(begin, i - begin)));
    } else if (is_digit(text[i])) {
      while (i < text.size() && continues_word(text[i])) ++i;  // 0xFF, 1e5
    } else {
      i = end_of_prose(text, i, hash_comments);
    }
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  if (words.size() > kMostWords) words.resize(kMostWords);
  words.shrink_to_fit();
  return words;
}

IndexedFile index_file(std::string path, std::string_view bytes, const FileStamp& stamp,
                       const std::function<bool()>& should_stop) {
  IndexedFile file{.path = std::move(path), .stamp = stamp, .hash = content_hash(bytes)};
  const SourceText source = read_source(file.path, bytes);
  file.skipped = source.skipped;
  if (!file.skipped.empty()) return file;
  const FileAnalysis analysis =
      extract(source.text, source.language, Depth::kNames,
              {.deadline = std::chrono::steady_clock::now() + kLongestParse, .should_stop = should_stop});
  file.language = analysis.language;
  file.skipped = analysis.skipped;
  file.lines = analysis.lines;
  file.error_regions = analysis.error_regions;
  file.incomplete = analysis.incomplete;
  if (!file.skipped.empty()) return file;
  Interner names(file.names);
  file.symbols.reserve(analysis.symbols.size());
  for (const Symbol& symbol : analysis.symbols) {
    std::string container = code::container_of(analysis.symbols, symbol);
    if (container.size() > std::numeric_limits<std::uint16_t>::max()) container.clear();
    file.symbols.push_back(
        {.name = names.put(symbol.name),
         .container = names.put(container),
         .name_size = clamped<std::uint16_t>(symbol.name.size()),
         .container_size = clamped<std::uint16_t>(container.size()),
         .kind = symbol.kind,
         .declaration = symbol.declaration,
         .signature_size = clamped<std::uint16_t>(symbol.signature_end - symbol.signature_begin),
         .signature_begin = symbol.signature_begin,
         .line = symbol.line,
         .end_line = symbol.end_line,
         .name_line = symbol.name_line,
         .column = symbol.column,
         .parent = symbol.parent});
  }
  file.names.shrink_to_fit();
  file.words = words_of(source.text, source.language == "python" || source.language == "ruby" ||
                                         source.language == "shellscript");
  return file;
}

}  // namespace helve::code
