#include "text/language.h"

#include <string>
#include <unordered_map>

#include "base/strings.h"

namespace helve::text {
namespace {

using LanguagesByWord = std::unordered_map<std::string_view, const LanguageRow*>;

struct Index {
  LanguagesByWord extensions;
  LanguagesByWord file_names;
  LanguagesByWord interpreters;
  LanguagesByWord ids;
};

void add_words(LanguagesByWord& words, std::string_view list, const LanguageRow& row) {
  for (const std::string_view word : split(list, ' '))
    if (!word.empty()) words.emplace(word, &row);
}

const Index& index_of_table() {
  static const Index index = [] {
    Index built;
    for (const LanguageRow& row : language_table()) {
      add_words(built.extensions, row.extensions, row);
      add_words(built.file_names, row.file_names, row);
      add_words(built.interpreters, row.interpreters, row);
      built.ids.emplace(row.language.id, &row);
    }
    return built;
  }();
  return index;
}

const LanguageRow* look_up(const LanguagesByWord& words, std::string_view word) {
  const auto found = words.find(word);
  return found == words.end() ? nullptr : found->second;
}

const LanguageRow* with_id(std::string_view id) { return look_up(index_of_table().ids, id); }

// `#!/usr/bin/env -S FOO=1 python3.11 -u` names python.
const LanguageRow* by_interpreter(std::string_view beginning) {
  if (!beginning.starts_with("#!")) return nullptr;
  const std::string_view line = beginning.substr(2, beginning.find_first_of("\r\n") - 2);
  for (const std::string_view word : split(line, ' ')) {
    std::string_view program = word.substr(word.rfind('/') + 1);
    const bool is_setting = word.find('=') != std::string_view::npos;
    if (program.empty() || program == "env" || word.starts_with('-') || is_setting) continue;
    program = program.substr(0, program.find_last_not_of("0123456789.-") + 1);
    return look_up(index_of_table().interpreters, to_lower(program));
  }
  return nullptr;
}

const LanguageRow* by_content(std::string_view beginning) {
  const std::string start = to_lower(trim(beginning.substr(0, 256)));
  if (start.starts_with("<?php")) return with_id("php");
  if (start.starts_with("<?xml")) return with_id("xml");
  if (start.starts_with("<!doctype html") || start.starts_with("<html")) return with_id("html");
  if (start.starts_with("diff --git ") || start.starts_with("--- a/")) return with_id("diff");
  return nullptr;
}

// Distinguishes languages that share an extension by the content.
const LanguageRow* by_extension(std::string_view extension, std::string_view beginning) {
  if (extension == "C") return with_id("cpp");
  const std::string lower = to_lower(extension);
  const std::string_view start = trim(beginning);
  if (lower == "m" && (start.starts_with('%') || start.starts_with("function "))) return with_id("matlab");
  if (lower == "ts" && start.starts_with("<?xml")) return with_id("xml");
  if (lower == "h" && (beginning.find("@interface") != std::string_view::npos ||
                       beginning.find("#import ") != std::string_view::npos))
    return with_id("objective-c");
  if (lower == "pl" && start.starts_with(":-")) return with_id("prolog");
  return look_up(index_of_table().extensions, lower);
}

const LanguageRow* find_row(std::string_view path, std::string_view beginning) {
  const std::string_view file_name = path.substr(path.rfind('/') + 1);
  const std::string name = to_lower(file_name);
  if (const LanguageRow* row = look_up(index_of_table().file_names, name)) return row;
  const std::size_t dot = file_name.rfind('.');
  if (dot != std::string_view::npos) {
    if (const LanguageRow* row = by_extension(file_name.substr(dot + 1), beginning)) return row;
  }
  // Dockerfile.dev, Makefile.linux, .env.local
  const std::size_t first_dot = name.find('.', 1);
  if (first_dot != std::string::npos) {
    if (const LanguageRow* row = look_up(index_of_table().file_names, name.substr(0, first_dot))) return row;
  }
  if (const LanguageRow* row = by_interpreter(beginning)) return row;
  // A file with an unknown extension, such as .txt, is not detected by content.
  return dot == std::string_view::npos || dot == 0 ? by_content(beginning) : nullptr;
}

}  // namespace

std::optional<Language> language_of(std::string_view path, std::string_view beginning) {
  const LanguageRow* row = find_row(path, beginning);
  if (row == nullptr) return std::nullopt;
  return row->language;
}

}  // namespace helve::text
