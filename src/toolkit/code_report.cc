#include "toolkit/code_report.h"

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "base/utf8.h"
#include "core/engines.h"
#include "text/language.h"

namespace helve::toolkit {
namespace {

// The longest wait for the index; the rest is indexed in the background.
constexpr std::chrono::seconds kIndexBudget{20};

std::vector<std::string> index_notes(const code::IndexView& view, const code::SymbolFilter& filter) {
  std::vector<std::string> notes;
  if (!view.complete)
    notes.push_back(concat("This is not the whole truth yet: ",
                           view.walked
                               ? concat(count_of(view.pending, "new or changed file"), " could not be read")
                               : "the files could not be looked through",
                           " in time, and names in them are missing. Ask again in a moment."));
  std::map<std::string, std::size_t> skipped;
  std::size_t with_errors = 0;
  for (const auto& file : view.state->files) {
    if (!filter.takes(*file)) continue;
    if (file->error_regions > 0) ++with_errors;
    // Files without a parser are not reported; files that failed to parse are.
    if (!file->skipped.empty() && !file->language.empty()) ++skipped[file->skipped];
  }
  for (const auto& [reason, count] : skipped)
    notes.push_back(concat(count_of(count, "file"), " not read: ", reason, "."));
  if (with_errors > 0)
    notes.push_back(concat(count_of(with_errors, "file"), with_errors == 1 ? " has" : " have",
                           " regions that could not be parsed; definitions there may be missing."));
  return notes;
}

}  // namespace

std::string describe_parsers() {
  std::vector<std::string> names;
  for (const text::LanguageRow& row : text::language_table())
    if (code::has_grammar(row.language.id)) names.emplace_back(row.language.name);
  return concat("There are parsers for ", enumerate(names), ".");
}

Expected<AnalysedFile> analyse_file(Context& context, const std::string& path, code::Depth depth) {
  const workspace::Root& root = context.engines().root;
  const auto file = root.open_read(path);
  if (!file) return fail(file.error());
  const auto cannot = [&](std::string_view why) {
    return fail(ErrorCode::kInvalidArgument, concat(file->path, " cannot be analysed: ", why, "."),
                concat("Use read or grep on it. ", describe_parsers()));
  };
  if (file->size() > code::kLargestSource)
    return cannot(concat("it has more than ", code::kLargestSource >> 20, " MiB"));
  const auto bytes = workspace::read_content(*file, code::kLargestSource);
  if (!bytes) return fail(bytes.error());
  AnalysedFile analysed{.path = file->path, .source = code::read_source(file->path, *bytes), .analysis = {}};
  if (!analysed.source.skipped.empty()) return cannot(analysed.source.skipped);
  analysed.analysis =
      code::extract(analysed.source.text, analysed.source.language, depth,
                    {.deadline = context.deadline(), .should_stop = [&] { return context.should_stop(); }});
  if (context.should_stop()) return fail(context.stop_error());
  if (!analysed.analysis.skipped.empty()) return cannot(analysed.analysis.skipped);
  return analysed;
}

Expected<IndexAnswer> ask_index(Context& context, const std::string& directory) {
  Engines& engines = context.engines();
  const auto hidden = engines.rules->hidden();
  const auto now = Context::Clock::now();
  const auto left = context.deadline() - now;
  code::SymbolIndex::Request request{
      .exclusions = hidden->exclusions(),
      .deadline = now + std::min<Context::Clock::duration>(left - left / 5, kIndexBudget),
      .should_stop = [&] { return context.should_stop(); },
      .on_progress =
          [&](std::size_t read, std::size_t total) {
            context.report({.done = static_cast<double>(read),
                            .total = static_cast<double>(total),
                            .message = "Reading definitions"});
          }};
  IndexAnswer answer;
  answer.filter.directory = directory;
  if (!hidden->empty()) answer.filter.hides = [hidden](std::string_view path) { return hidden->hides(path); };
  answer.view = engines.symbols().refresh(request);
  if (context.should_stop()) return fail(context.stop_error());
  const bool any = std::ranges::any_of(answer.view.state->files,
                                       [&](const auto& file) { return answer.filter.takes(*file); });
  if (!any && answer.view.complete && !directory.empty()) {
    // An ignored directory that the caller names explicitly is wanted.
    auto root = workspace::Root::open(concat(engines.root.path(), "/", directory));
    if (!root) return fail(root.error());
    answer.own_root = std::make_shared<workspace::Root>(std::move(*root));
    answer.own =
        std::make_shared<code::SymbolIndex>(*answer.own_root, engines.logger, code::SymbolIndex::Options{});
    request.exclusions.clear();
    answer.view = answer.own->refresh(request);
    answer.prefix = concat(directory, "/");
    answer.filter.directory.clear();
    if (!hidden->empty())
      answer.filter.hides = [hidden, prefix = answer.prefix](std::string_view path) {
        return hidden->hides(concat(prefix, path));
      };
  }
  answer.notes = index_notes(answer.view, answer.filter);
  return answer;
}

const std::string& SourceReader::text_of(const code::FoundSymbol& found) {
  if (path_ == found.file->path) return text_;
  path_ = found.file->path;
  text_.clear();
  same_ = false;
  const auto file = root_.open_read(concat(prefix_, path_));
  if (!file) return text_;
  const auto bytes = workspace::read_content(*file, code::kLargestSource);
  if (!bytes) return text_;
  same_ = code::stamp_of(file->status) == found.file->stamp;
  text_ = code::read_source(path_, *bytes).text;
  return text_;
}

std::string SourceReader::signature(const code::FoundSymbol& found) {
  const std::string& text = text_of(found);
  const code::IndexedSymbol& symbol = *found.symbol;
  std::string line;
  if (same_)
    line =
        code::signature_of(text, symbol.signature_begin, symbol.signature_begin + symbol.signature_size, 160);
  if (line.empty()) line = found.name();
  if (line == found.name()) line = concat(code::to_string(symbol.kind), " ", line);
  return to_valid_utf8(line);
}

std::string SourceReader::numbered(const code::FoundSymbol& found, std::uint32_t first, std::uint32_t last) {
  const std::string& text = text_of(found);
  std::string out;
  std::size_t at = 0;
  for (std::uint32_t line = 1; at < text.size() && line <= last; ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view words = std::string_view(text).substr(at, end - at);
    if (words.ends_with('\r')) words.remove_suffix(1);
    if (line >= first) out += concat(line, ": ", shortened(to_valid_utf8(words), 200), "\n");
    at = end + 1;
  }
  return out;
}

}  // namespace helve::toolkit
