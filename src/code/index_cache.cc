#include "code/index_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <bit>
#include <cstring>
#include <filesystem>

#include "base/file_io.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "code/extract.h"
#include "code/grammar_table.h"

namespace helve::code {
namespace {

constexpr std::string_view kMagic = "helve symbols 1\n";
constexpr std::size_t kLargestCache = std::size_t{1} << 30;
constexpr std::size_t kChecksum = sizeof(std::uint64_t);
static_assert(std::endian::native == std::endian::little);

// Covers everything that determines which symbols are found.
const std::string& version() {
  static const std::string text = [] {
    std::string all = concat("2 ", sizeof(IndexedSymbol), "\n");
    for (const GrammarRow& row : grammar_table())
      all += concat(row.languages, ts_language_abi_version(row.function()),
                    ts_language_symbol_count(row.function()), ts_language_state_count(row.function()),
                    row.query);
    return sha256_hex(all);
  }();
  return text;
}

// Detects damage, not tampering.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0x9E3779B97F4A7C15U ^ bytes.size();
  const auto mix = [&hash](std::uint64_t word) {
    hash = std::rotl(hash ^ word, 29) * 0xBF58476D1CE4E5B9U;
    hash ^= hash >> 32;
  };
  for (; bytes.size() >= sizeof(std::uint64_t); bytes.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    mix(word);
  }
  for (const char c : bytes) mix(static_cast<unsigned char>(c));
  return hash;
}

class Writer {
 public:
  template <class Number>
  void number(Number value) {
    const auto bytes = std::bit_cast<std::array<char, sizeof(Number)>>(value);
    out.append(bytes.data(), bytes.size());
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    out += value;
  }
  template <class Element>
  void list(const std::vector<Element>& values) {
    static_assert(std::has_unique_object_representations_v<Element>);  // no padding
    number(static_cast<std::uint32_t>(values.size()));
    out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Element));
  }
  std::string out;
};

// Every read is bounds-checked; after the first failure all reads fail.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <class Number>
  Number number() {
    Number value{};
    if (take(sizeof(Number))) std::memcpy(&value, taken_.data(), taken_.size());
    return value;
  }
  std::string text() { return take(number<std::uint32_t>()) ? std::string(taken_) : std::string(); }
  template <class Element>
  std::vector<Element> list() {
    const std::size_t count = number<std::uint32_t>();
    std::vector<Element> values;
    if (!take(count * sizeof(Element))) return values;
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), taken_.data(), taken_.size());
    return values;
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool at_end() const { return good_ && rest_.empty(); }

 private:
  bool take(std::size_t size) {
    if (!good_ || size > rest_.size()) return good_ = false;
    taken_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  std::string_view rest_;
  std::string_view taken_ = {};
  bool good_ = true;
};

void write_file(Writer& writer, const IndexedFile& file) {
  writer.text(file.path);
  writer.number(file.stamp.modified);
  writer.number(file.stamp.changed);
  writer.number(file.stamp.size);
  writer.number(file.stamp.inode);
  // The machine may have been busy, so the next process parses the file again.
  const bool unfinished = file.skipped == kTookTooLong;
  writer.number(unfinished ? std::uint64_t{0} : file.hash);
  writer.number(static_cast<std::uint8_t>(file.recent || unfinished));
  writer.text(file.language);
  writer.text(file.skipped);
  writer.number(file.lines);
  writer.number(file.error_regions);
  writer.number(static_cast<std::uint8_t>(file.incomplete));
  writer.text(file.names);
  writer.list(file.symbols);
  writer.list(file.words);
}

IndexedFile read_one(Reader& reader) {
  IndexedFile file;
  file.path = reader.text();
  file.stamp.modified = reader.number<std::int64_t>();
  file.stamp.changed = reader.number<std::int64_t>();
  file.stamp.size = reader.number<std::uint64_t>();
  file.stamp.inode = reader.number<std::uint64_t>();
  file.hash = reader.number<std::uint64_t>();
  file.recent = reader.number<std::uint8_t>() != 0;
  file.language = reader.text();
  file.skipped = reader.text();
  file.lines = reader.number<std::uint32_t>();
  file.error_regions = reader.number<std::uint32_t>();
  file.incomplete = reader.number<std::uint8_t>() != 0;
  file.names = reader.text();
  file.symbols = reader.list<IndexedSymbol>();
  file.words = reader.list<std::uint32_t>();
  return file;
}

// Even with a valid checksum, no index in the data may be out of bounds.
bool is_sound(const IndexedFile& file) {
  for (std::size_t i = 0; i < file.symbols.size(); ++i) {
    const IndexedSymbol& symbol = file.symbols[i];
    if (std::size_t{symbol.name} + symbol.name_size > file.names.size() ||
        std::size_t{symbol.container} + symbol.container_size > file.names.size() ||
        symbol.kind > SymbolKind::kVariable || (symbol.parent != kNoParent && symbol.parent >= i))
      return false;
  }
  return true;
}

}  // namespace

std::string encode_index(const IndexedFiles& files) {
  Writer writer;
  writer.out = kMagic;
  writer.text(version());
  writer.number(static_cast<std::uint32_t>(files.size()));
  for (const auto& file : files) write_file(writer, *file);
  writer.number(checksum(writer.out));
  return std::move(writer.out);
}

std::optional<IndexedFiles> decode_index(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + kChecksum) return std::nullopt;
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksum);
  Reader reader(body.substr(kMagic.size()));
  if (reader.text() != version()) return std::nullopt;
  if (Reader(bytes.substr(body.size())).number<std::uint64_t>() != checksum(body)) return std::nullopt;
  const auto count = reader.number<std::uint32_t>();
  IndexedFiles files;
  for (std::uint32_t i = 0; i < count && reader.good(); ++i) {
    auto file = std::make_shared<IndexedFile>(read_one(reader));
    if (!reader.good() || !is_sound(*file)) return std::nullopt;
    if (!files.empty() && files.back()->path >= file->path) return std::nullopt;
    files.push_back(std::move(file));
  }
  if (!reader.at_end()) return std::nullopt;
  return files;
}

Expected<void> save_index(const std::string& path, const IndexedFiles& files) {
  const std::string directory = std::filesystem::path(path).parent_path();
  if (auto made = make_private_directories(directory); !made) return made;
  return replace_private_file(path, encode_index(files));
}

std::optional<IndexedFiles> load_index(const std::string& path) {
  const auto bytes = read_file(path, kLargestCache);
  if (!bytes) return std::nullopt;
  // The timestamp records the last use; core/state_upkeep.h removes unused caches.
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return decode_index(*bytes);
}

}  // namespace helve::code
