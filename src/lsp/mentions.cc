#include "lsp/mentions.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"
#include "code/name_uses.h"
#include "lsp/documents.h"
#include "text/language.h"

namespace helve::lsp {
namespace {

constexpr std::size_t kMostFound = 4000;  // files, of all languages
// Installed dependencies and the directories of tools.
constexpr auto kSkipped =
    std::to_array<const char*>({"!node_modules/", "!.venv/", "!venv/", "!site-packages/", "!__pycache__/",
                                "!.tox/", "!.nox/", "!.cache/", "!.hg/", "!.svn/"});
constexpr auto kParseTime = std::chrono::seconds(2);  // for one file

// A compiler's output ends with the name of its source map.
bool is_generated(std::string_view text) {
  constexpr std::size_t kTail = 200;
  return text.substr(text.size() - std::min(text.size(), kTail)).contains("//# sourceMappingURL=");
}

}  // namespace

bool is_in_word(char c) { return is_word_character(c) || static_cast<unsigned char>(c) >= 0x80; }

std::string word_pattern(std::string_view word) {
  if (word.empty()) return {};
  std::string pattern = is_in_word(word.front()) ? "\\b" : "";
  for (const char c : word) pattern += is_in_word(c) ? concat(c) : concat('\\', c);
  return is_in_word(word.back()) ? pattern + "\\b" : pattern;
}

const MentioningFile* Mentions::find(std::string_view path) const {
  const auto found = std::ranges::lower_bound(
      files, path, {}, [](const MentioningFile& file) { return std::string_view(file.path); });
  return found != files.end() && found->path == path ? &*found : nullptr;
}

Expected<Mentions> find_mentions(const MentionQuery& query, const std::string& name, const WaitLimit& limit) {
  search::GrepQuery words{.pattern = word_pattern(name)};
  words.file_globs.assign(kSkipped.begin(), kSkipped.end());
  words.hidden = true;
  words.wanted = search::GrepQuery::Wanted::kCounts;
  words.most_matches = kMostFound;
  const auto found =
      search::grep(query.workspace, words, query.engine, query.logger, [&] { return limit.is_over(); });
  if (!found) return fail(found.error());
  Mentions mentions{.is_cut = found->more || found->stopped};
  std::size_t bytes = 0;
  for (const search::FoundFile& each : found->files) {
    if (query.hides && query.hides(each.path)) continue;
    if (!query.spec.serves(each.path) && !query.spec.embeds_code_in(each.path)) {
      mentions.other_files.push_back(each.path);
      continue;
    }
    if (mentions.files.size() >= query.most_files || bytes >= query.most_bytes || limit.is_over()) {
      mentions.unread.push_back(each.path);
      continue;
    }
    auto file = read_file_text(query.workspace, each.path);
    if (!file) continue;  // binary, huge or gone
    if (is_generated(file->text)) {
      mentions.other_files.push_back(each.path);
      continue;
    }
    bytes += file->text.size();
    const auto language = text::language_of(each.path, std::string_view(file->text).substr(0, 1024));
    const auto end = std::min<Clock::time_point>(limit.deadline, Clock::now() + kParseTime);
    code::NameUses uses =
        code::find_name_uses(file->text, query.spec.serves(each.path) && language ? language->id : "", name,
                             {.deadline = end, .should_stop = [&] { return limit.is_over(); }});
    if (uses.in_code.empty() && uses.in_prose.empty()) continue;
    mentions.files.push_back({.path = std::move(file->path),
                              .text = std::make_shared<const std::string>(std::move(file->text)),
                              .in_code = std::move(uses.in_code),
                              .in_prose = std::move(uses.in_prose)});
  }
  std::ranges::sort(mentions.files, {}, &MentioningFile::path);
  return mentions;
}

}  // namespace helve::lsp
