// Reads a text file, a range of it, an image, or lists a directory.
#include "base/base64.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "code/extract.h"
#include "code/outline.h"
#include "code/source_text.h"
#include "core/engines.h"
#include "core/session_state.h"
#include "helve/tool.h"
#include "text/file_kind.h"
#include "text/language.h"
#include "text/numbered_text.h"
#include "tools/line_index.h"
#include "workspace/listing.h"

namespace helve::tools {

enum class ReadEncoding { kAuto, kUtf8, kAscii, kBase64 };
constexpr auto enum_names(ReadEncoding) {
  return std::to_array<std::string_view>({"auto", "utf8", "ascii", "base64"});
}

struct Read {
  static constexpr std::string_view kDescription =
      "Read a text file with line numbers, a range of lines, or an image; or list a directory.\n"
      "If you do not know where to look, use find or grep first.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData =
      "{path: string, encoding?: string, totalLines?: integer|null, nextOffset?: integer, entries?: "
      "[any]}";
  static constexpr bool kHonoursStop = true;
  static constexpr std::size_t kResultLimit = 100'000;  // the line limit bounds the result first

  struct Params {
    std::string path;
    std::optional<int> offset;
    std::optional<int> limit;
    ReadEncoding encoding = ReadEncoding::kAuto;

    void describe(ParamSpec& p) {
      p.required("path", path, "File or directory, relative to the workspace.", {.min_length = 1});
      p.optional("offset", offset, "First line, from 1; negative counts from the end.");
      p.optional("limit", limit, "Most lines. Default 2000.", {.min = 1, .max = 5000});
      p.optional("encoding", encoding, "Text encoding; auto detects it.");
    }
    [[nodiscard]] bool has_range() const { return offset || limit; }
  };

  std::vector<Resource> resources(const Params& params) const {
    return {{"file:" + params.path, Resource::Use::kShared}};
  }
  Result execute(Context& context, const Params& params) const;
};

namespace {

constexpr std::size_t kWholeInMemory = std::size_t{16} << 20;
constexpr std::size_t kLargeWithoutRange = std::size_t{256} << 10;
constexpr int kHeadLines = 200;
constexpr std::size_t kOutlineBytes = 20'000;
constexpr std::size_t kLargestImage = std::size_t{8} << 20;
constexpr std::size_t kLargestBase64 = std::size_t{1} << 20;

Expected<workspace::OpenFile> open_file(Context& context, const std::string& path) {
  const std::string& outputs = context.session().output_directory();
  if (!path.starts_with(outputs + "/")) return context.engines().root.open_read(path);
  const auto root = workspace::Root::open(outputs);
  if (!root) return fail(root.error());
  auto file = root->open_read(path);
  if (file) file->path = concat(outputs, "/", file->path);  // the name by which it can be read again
  return file;
}

Result list(Context& context, const std::string& path) {
  const auto listing = workspace::list_directory(context.engines().root, path,
                                                 {.should_stop = [&] { return context.should_stop(); }});
  if (!listing) return fail(listing.error());
  JsonObject data{{"type", "directory"}};
  Json listed = workspace::to_json(*listing);
  for (auto& [key, value] : listed.as_object()) data.append(key, std::move(value));
  return Output{
      .summary = concat(listing->path, " is a directory with ", count_of(listing->total, "entry", "entries")),
      .content = listing->entries.empty() ? "(empty)\n" : workspace::to_text(*listing),
      .data = std::move(data),
      .truncated = listing->left_out > 0};
}

Result as_base64(const workspace::OpenFile& file) {
  if (file.size() > kLargestBase64)
    return fail(ErrorCode::kInvalidArgument,
                concat(file.path, " has ", workspace::readable_size(file.size()), "; at most ",
                       workspace::readable_size(kLargestBase64), " can be read as base64."),
                "Use exec to look at parts of it.");
  const auto bytes = workspace::read_content(file, kLargestBase64);
  if (!bytes) return fail(bytes.error());
  return Output{.summary = concat(file.path, ": ", workspace::readable_size(bytes->size()), " as base64"),
                .content = to_base64(*bytes),
                .data = JsonObject{{"path", file.path}, {"encoding", "base64"}, {"bytes", bytes->size()}}};
}

Result as_image(const workspace::OpenFile& file, const text::FileKind& kind) {
  if (file.size() > kLargestImage)
    return fail(ErrorCode::kInvalidArgument,
                concat(file.path, " is a ", kind.name, " of ", workspace::readable_size(file.size()),
                       "; at most ", workspace::readable_size(kLargestImage), " can be shown."),
                "Make a smaller copy of it first.");
  auto bytes = workspace::read_content(file, kLargestImage);
  if (!bytes) return fail(bytes.error());
  const std::string summary =
      concat(file.path, ": ", kind.name, ", ", workspace::readable_size(bytes->size()));
  return Output{.summary = summary,
                .content = summary,
                .data = JsonObject{{"path", file.path}, {"type", kind.mime}, {"bytes", bytes->size()}},
                .images = {{std::string(kind.mime), *std::move(bytes)}}};
}

Result as_binary(const workspace::OpenFile& file, const std::optional<text::FileKind>& kind) {
  const std::string summary = concat(file.path, " is a binary file: ", kind ? kind->name : "unknown type",
                                     ", ", workspace::readable_size(file.size()));
  return Output{.summary = summary,
                .content = concat(summary, ". Read it with encoding base64 if you need its bytes."),
                .data = JsonObject{{"path", file.path},
                                   {"type", kind ? kind->mime : "application/octet-stream"},
                                   {"bytes", file.size()},
                                   {"binary", true}}};
}

// The requested lines, resolved against the number of lines.
struct Range {
  std::size_t first;
  std::size_t count;
};

Expected<Range> range_of(const Read::Params& params, const workspace::OpenFile& file, std::size_t lines,
                         bool complete) {
  const auto count = static_cast<std::size_t>(params.limit.value_or(2000));
  const int offset = params.offset.value_or(1);
  if (offset < 0) {
    const auto from_end = static_cast<std::size_t>(-static_cast<std::int64_t>(offset));
    return Range{from_end >= lines ? 1 : lines - from_end + 1, std::min(count, from_end)};
  }
  if (offset == 0)
    return fail(ErrorCode::kInvalidArgument, "offset 0 is not a line; lines count from 1.",
                "Use 1 for the first line, -1 for the last.");
  const auto first = static_cast<std::size_t>(offset);
  if (complete && first > std::max<std::size_t>(lines, 1))
    return fail(ErrorCode::kInvalidArgument,
                concat(file.path, " has ", count_of(lines, "line"), "; there is no line ",
                       with_thousands(first), "."),
                concat("Use an offset from 1 to ", lines, ", or a negative one to count from the end."));
  return Range{first, count};
}

// Facts about the file for the answer, apart from its lines.
struct TextFacts {
  text::TextEncoding encoding;
  text::LineCounts counts;
  bool complete = true;  // the counts cover the whole file
  bool head_only = false;
  std::size_t malformed = 0;  // pieces of the shown text that are not UTF-8, as which it is shown
};

std::size_t malformed_pieces(std::string_view text, const text::TextEncoding& encoding) {
  std::size_t count = 0;
  if (encoding.charset != text::Charset::kUtf8) return count;
  for (std::size_t at = find_invalid_utf8(text); at < text.size(); at += find_invalid_utf8(text.substr(at))) {
    ++count;
    at += malformed_utf8_length(text.substr(at));
  }
  return count;
}

// The encoding by which bytes are shown that are not UTF-8; empty if it is certain.
std::string_view guessed_encoding(text::Charset charset) {
  switch (charset) {
    case text::Charset::kLatin1:  // the same for the bytes that it has
    case text::Charset::kWindows1252: return "Windows-1252";
    case text::Charset::kWindows1250: return "Windows-1250";
    case text::Charset::kWindows1251: return "Windows-1251";
    case text::Charset::kKoi8R: return "KOI8-R";
    default: return {};
  }
}

Output text_output(const workspace::OpenFile& file, const TextFacts& facts, const Range& range,
                   text::NumberedText numbered, std::string_view beginning) {
  const std::size_t total = facts.counts.lines();
  const std::size_t last = range.first + numbered.lines - 1;
  const bool more = numbered.lines > 0 && (!facts.complete || last < total);
  const auto language = text::language_of(file.path, beginning);
  const auto ending = facts.counts.dominant();

  std::string about = language ? concat(language->name, ", ") : std::string();
  about += text::to_string(facts.encoding);
  if (ending)
    about += concat(", ", facts.counts.is_mixed() ? "mixed line endings" : text::to_string(*ending));
  const std::string of = facts.complete ? concat(" of ", with_thousands(total)) : std::string();
  std::string summary = total == 0
                            ? concat(file.path, " is empty")
                            : concat(file.path, ": lines ", range.first, "–", last, of, " (", about, ")");
  std::string content = std::move(numbered.text);
  if (total == 0) content = "(empty file)\n";
  if (facts.head_only && more)
    content += concat("\nThis file is large (", workspace::readable_size(file.size()),
                      facts.complete ? concat(", ", with_thousands(total), " lines") : "",
                      "), so only its head is shown. Use grep to find the place you need, then read with "
                      "offset and limit.\n");
  else if (more)
    content +=
        concat("\n(", facts.complete ? concat("lines ", last + 1, "–", total, " are") : "more lines are",
               " not shown; go on with offset ", last + 1, ")\n");

  if (const std::string_view guess = guessed_encoding(facts.encoding.charset); !guess.empty() && total > 0)
    content += concat("\n(The file is not valid UTF-8. Its bytes are shown as ", guess,
                      "; an edit keeps those that it does not replace.)\n");
  if (facts.malformed > 0)
    content += concat("\n(", count_of(facts.malformed, "place"), facts.malformed == 1 ? " is" : " are",
                      " not valid UTF-8 and shown as \uFFFD; an edit keeps the bytes that it "
                      "does not replace.)\n");

  JsonObject data{
      {"path", file.path},
      {"bytes", file.size()},
      {"language", language ? Json(language->id) : Json()},
      {"encoding", text::to_string(facts.encoding)},
      {"lineEnding", ending ? Json(facts.counts.is_mixed() ? "mixed" : text::to_string(*ending)) : Json()},
      {"finalNewline", facts.counts.has_final_break()},
      {"totalLines", facts.complete ? Json(total) : Json()},
      {"firstLine", range.first},
      {"lines", numbered.lines},
      {"cutLines", numbered.cut_lines}};
  if (more) data.append("nextOffset", last + 1);
  if (facts.malformed > 0) data.append("malformedPlaces", facts.malformed);
  return {.summary = std::move(summary),
          .content = std::move(content),
          .data = std::move(data),
          .truncated = more || numbered.cut_lines > 0};
}

text::NumberedOptions numbered_options(const Range& range) {
  return {.first_line = range.first, .max_lines = range.count};
}

text::TextEncoding chosen_encoding(ReadEncoding wanted, const text::TextEncoding& detected) {
  if (wanted == ReadEncoding::kAuto) return detected;
  return {.charset = text::Charset::kUtf8, .bom = detected.charset == text::Charset::kUtf8 && detected.bom};
}

// Replaces everything but printable ASCII, tabs and line breaks.
void keep_ascii(std::string& text) {
  std::string ascii;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x80)
      ascii += c;
    else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
      ascii += '?';
  }
  text = std::move(ascii);
}

// The outline of a large source file, which says more than its first lines. Nothing without a parser.
std::optional<Output> as_outline(Context& context, const workspace::OpenFile& file, std::string_view bytes,
                                 std::size_t lines) {
  const code::SourceText source = code::read_source(file.path, bytes);
  if (!source.skipped.empty() || !code::has_grammar(source.language)) return std::nullopt;
  const code::FileAnalysis analysis =
      code::extract(source.text, source.language, code::Depth::kNames,
                    {.deadline = context.deadline(), .should_stop = [&] { return context.should_stop(); }});
  if (!analysis.skipped.empty() || analysis.symbols.empty()) return std::nullopt;
  const code::Outline outline = code::make_outline(analysis, source.text, kOutlineBytes);
  const std::string errors = describe_errors(analysis);
  const std::string size = concat(workspace::readable_size(file.size()), ", ", count_of(lines, "line"));
  return Output{.summary = concat(file.path, " is large (", size, "): its outline (", analysis.language, ")"),
                .content = to_valid_utf8(concat(
                    outline.text, "\nThis file is large (", size,
                    "), so its outline is shown: lines and what they "
                    "define. Read with offset and limit what you need.",
                    outline.left_out.empty() ? "" : concat(" Left out for length: ", outline.left_out, "."),
                    errors.empty() ? "" : concat(" ", errors, "."), "\n")),
                .data = JsonObject{{"path", file.path},
                                   {"bytes", file.size()},
                                   {"language", source.language},
                                   {"totalLines", lines},
                                   {"outline", true},
                                   {"definitions", analysis.symbols.size()}},
                .truncated = true};
}

Result from_memory(Context& context, const Read::Params& params, const workspace::OpenFile& file,
                   std::string_view bytes, const text::TextEncoding& encoding) {
  TextFacts facts{.encoding = encoding};
  const std::string_view text = text::without_bom(bytes, facts.encoding);
  facts.counts = text::count_lines(text, facts.encoding.charset);
  Read::Params wanted = params;
  if (!params.has_range() && file.size() > kLargeWithoutRange) {
    if (params.encoding == ReadEncoding::kAuto)
      if (auto outline = as_outline(context, file, bytes, facts.counts.lines())) return *std::move(outline);
    facts.head_only = true;
    wanted.limit = kHeadLines;
  }
  const auto range = range_of(wanted, file, facts.counts.lines(), true);
  if (!range) return fail(range.error());
  const text::LineFormat format = facts.counts.format(facts.encoding.charset);
  const std::size_t start = text::find_line(text, range->first, format).value_or(text.size());
  text::NumberedText numbered =
      text::number_lines(text.substr(start), facts.encoding, format, numbered_options(*range));
  facts.malformed = malformed_pieces(text.substr(start, numbered.bytes), facts.encoding);
  if (params.encoding == ReadEncoding::kAscii) keep_ascii(numbered.text);
  session_state(context).read_log.remember(file.path, workspace::identity_of(file.status), bytes);
  return text_output(file, facts, *range, std::move(numbered), text.substr(0, 1024));
}

Result from_disk(Context& context, const Read::Params& params, const workspace::OpenFile& file,
                 std::string_view beginning, const text::TextEncoding& encoding) {
  TextFacts facts{.encoding = encoding, .head_only = !params.has_range()};
  Read::Params wanted = params;
  if (facts.head_only) wanted.limit = kHeadLines;
  // A range near the start of a huge file does not need the total line count.
  LineIndex::ScanOptions scan{.stop = context.stop_token()};
  if (const int offset = wanted.offset.value_or(1); offset > 0)
    scan.enough_lines =
        static_cast<std::size_t>(offset) + static_cast<std::size_t>(wanted.limit.value_or(2000));
  const auto index = LineIndex::scan(file, facts.encoding, scan);
  if (!index) return fail(context.should_stop() ? context.stop_error() : index.error());
  facts.counts = index->counts();
  facts.complete = index->is_complete();
  const auto range = range_of(wanted, file, facts.counts.lines(), facts.complete);
  if (!range) return fail(range.error());
  const auto lines = index->read(file, range->first, range->count, kWholeInMemory);
  if (!lines) return fail(lines.error());
  text::NumberedText numbered =
      text::number_lines(lines->bytes, facts.encoding, index->format(), numbered_options(*range));
  facts.malformed =
      malformed_pieces(std::string_view(lines->bytes).substr(0, numbered.bytes), facts.encoding);
  if (params.encoding == ReadEncoding::kAscii) keep_ascii(numbered.text);
  return text_output(file, facts, *range, std::move(numbered), beginning.substr(0, 1024));
}

}  // namespace

Result Read::execute(Context& context, const Params& params) const {
  auto file = open_file(context, params.path);
  if (!file) {
    if (context.engines().root.open_directory(params.path)) return list(context, params.path);
    return fail(file.error());
  }
  if (params.encoding == ReadEncoding::kBase64) return as_base64(*file);
  // One read gets a small file completely; for a large one it shows the file type.
  const std::size_t first_bytes = file->size() <= kWholeInMemory ? kWholeInMemory : std::size_t{64} << 10;
  const auto bytes = workspace::read_part(*file, 0, first_bytes);
  if (!bytes) return fail(bytes.error());
  const bool is_whole = file->size() <= kWholeInMemory;
  const text::TextEncoding detected =
      text::detect_encoding(*bytes, is_whole ? text::Extent::kWhole : text::Extent::kBeginning);
  if (params.encoding == ReadEncoding::kAuto) {
    const auto kind = text::kind_of(std::string_view(*bytes).substr(0, 512));
    if (kind && kind->is_image) return as_image(*file, *kind);
    if (!detected.is_text()) return as_binary(*file, kind);
  }
  const text::TextEncoding encoding = chosen_encoding(params.encoding, detected);
  return is_whole ? from_memory(context, params, *file, *bytes, encoding)
                  : from_disk(context, params, *file, *bytes, encoding);
}

}  // namespace helve::tools
