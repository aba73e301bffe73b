#include "toolkit/snippet_report.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "text/language.h"

namespace helve::toolkit {
namespace {

bool lists(std::string_view list, std::string_view word) {
  const auto words = split(list, ' ');
  return std::ranges::find(words, word) != words.end();
}

const text::LanguageRow* find_language(std::string_view given) {
  const std::string word = to_lower(trim(given));
  if (word.empty()) return nullptr;
  const auto rows = text::language_table();
  for (const text::LanguageRow& row : rows)
    if (row.language.id == word || to_lower(row.language.name) == word) return &row;
  for (const text::LanguageRow& row : rows)
    if (lists(row.extensions, word) || lists(row.interpreters, word)) return &row;
  return nullptr;
}

// ```python of a text that is one block of code.
std::string_view fence_language(std::string_view code) {
  const std::string_view text = trim(code);
  const bool fenced = (text.starts_with("```") && text.ends_with("```")) ||
                      (text.starts_with("~~~") && text.ends_with("~~~"));
  const std::size_t end = text.find('\n');
  if (!fenced || end == std::string_view::npos) return {};
  std::string_view info = trim(text.substr(3, end - 3));
  return info.substr(0, info.find_first_of(" \t{,:"));
}

JsonArray to_json(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

}  // namespace

std::string guess_language(std::string_view name, std::string_view code) {
  if (const text::LanguageRow* row = find_language(fence_language(code)))
    return std::string(row->language.id);
  const auto language = text::language_of(name, utf8_prefix(code, 1024));
  return language ? std::string(language->id) : std::string();
}

std::vector<std::string> language_names(std::string_view given) {
  std::vector<std::string> names{std::string(trim(given))};
  if (const text::LanguageRow* row = find_language(given)) {
    names.emplace_back(row->language.id);
    names.emplace_back(row->language.name);
    for (const std::string_view list : {row->extensions, row->interpreters})
      for (const std::string_view word : split(list, ' '))
        if (!word.empty()) names.emplace_back(word);
  }
  return names;
}

std::string language_id(std::string_view given) {
  const text::LanguageRow* row = find_language(given);
  return std::string(row != nullptr ? row->language.id : given);
}

std::string extension_of(std::string_view language) {
  const text::LanguageRow* row = find_language(language);
  if (row == nullptr || row->extensions.empty()) return ".txt";
  return concat(".", split(row->extensions, ' ').front());
}

Json to_json(const store::Snippet& snippet) {
  return JsonObject{{"id", snippet.id},
                    {"name", snippet.name},
                    {"code", snippet.code},
                    {"description", snippet.description},
                    {"language", snippet.language},
                    {"tags", to_json(snippet.tags)},
                    {"created", snippet.created},
                    {"updated", snippet.updated},
                    {"lines", store::count_lines(snippet.code)},
                    {"bytes", snippet.code.size()}};
}

Json to_json(const store::SnippetEntry& entry) {
  return JsonObject{{"id", entry.id},
                    {"name", entry.name},
                    {"description", entry.description},
                    {"language", entry.language},
                    {"tags", to_json(entry.tags)},
                    {"created", entry.created},
                    {"updated", entry.updated},
                    {"lines", entry.lines},
                    {"bytes", entry.bytes}};
}

std::string describe_code(std::string_view language, std::size_t lines) {
  return concat(language, language.empty() ? "" : ", ", count_of(lines, "line"));
}

std::string describe_entry(const store::SnippetEntry& entry) {
  std::string text = concat(entry.name, "  (", describe_code(entry.language, entry.lines), ")");
  const std::string_view first_line =
      std::string_view(entry.description).substr(0, entry.description.find('\n'));
  if (!first_line.empty()) text += concat("  ", shortened(first_line, 200));
  for (std::size_t i = 0; i < entry.tags.size(); ++i) text += concat(i == 0 ? "  #" : " #", entry.tags[i]);
  return text;
}

patch::ChangeReport change_of_snippet(const store::Snippet& before, const store::Snippet& after) {
  return patch::report_change({before.name, after.name}, before.code, after.code);
}

JsonArray notes_on_snippet(const store::Snippet& before, const store::Snippet& after) {
  JsonArray notes;
  const auto note = [&](std::string_view what, const Json& from, const Json& to) {
    if (from != to) notes.emplace_back(concat(what, ": ", to_text(to), ", was ", to_text(from)));
  };
  note("Description", before.description, after.description);
  note("Language", before.language, after.language);
  note("Tags", to_json(before.tags), to_json(after.tags));
  return notes;
}

std::vector<Resource> snippet_resources(Resource::Use use) { return {{"snippets", use}}; }

}  // namespace helve::toolkit
