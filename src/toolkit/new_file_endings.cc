#include "toolkit/new_file_endings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "base/strings.h"
#include "base/to_number.h"
#include "core/engines.h"
#include "helve/settings/edit.h"
#include "search/glob.h"
#include "text/span_edit.h"
#include "workspace/open_file.h"

namespace helve::toolkit {
namespace {

using text::LineEnding;

// A configuration file of a directory, and the path of the new file as seen from there.
struct ConfigFile {
  std::string name;
  std::string content;
  std::string below;
};

// Those in the directories above the path, the nearest first.
std::vector<ConfigFile> files_above(const Context& context, std::string_view path, std::string_view name) {
  constexpr std::size_t kLargest = std::size_t{1} << 20;
  std::vector<ConfigFile> files;
  std::size_t end = path.rfind('/');
  while (true) {
    const std::string_view directory =
        end == std::string_view::npos ? std::string_view() : path.substr(0, end + 1);
    ConfigFile file{concat(directory, name), {}, std::string(path.substr(directory.size()))};
    if (const auto open = context.engines().root.open_read(file.name)) {
      if (auto content = workspace::read_content(*open, kLargest)) {
        file.content = *std::move(content);
        files.push_back(std::move(file));
      }
    }
    if (directory.empty()) return files;
    end = end == 0 ? std::string_view::npos : path.rfind('/', end - 1);
  }
}

bool matches(std::string pattern, std::string_view path, const search::GlobOptions& options) {
  if (!pattern.contains('/')) {
    pattern.insert(0, "**/");
  } else if (pattern.starts_with('/')) {
    pattern.erase(0, 1);
  }
  const auto glob = search::Glob::compile(pattern, options);
  return glob && glob->matches(path);
}

std::optional<LineEnding> ending_named(std::string_view name) {
  if (name == "lf") return LineEnding::kLf;
  if (name == "crlf") return LineEnding::kCrLf;
  if (name == "cr") return LineEnding::kCr;
  return std::nullopt;
}

// {1..3} as {1,2,3}
std::string with_listed_numbers(std::string_view pattern) {
  constexpr int kMost = 1000;
  std::string listed;
  while (!pattern.empty()) {
    const std::size_t open = std::min(pattern.find('{'), pattern.size());
    listed += pattern.substr(0, open);
    pattern.remove_prefix(open);
    const std::size_t close = pattern.find('}');
    const std::size_t dots = pattern.find("..");
    const auto first = dots < close ? to_number<int>(pattern.substr(1, dots - 1)) : std::nullopt;
    const auto last = first ? to_number<int>(pattern.substr(dots + 2, close - dots - 2)) : std::nullopt;
    if (!last || *last - *first > kMost || *first - *last > kMost) {
      listed += pattern.substr(0, 1);
      pattern.remove_prefix(std::min<std::size_t>(1, pattern.size()));
      continue;
    }
    std::vector<std::string> numbers;
    for (int number = std::min(*first, *last); number <= std::max(*first, *last); ++number)
      numbers.push_back(concat(number));
    listed += concat("{", join(numbers, ","), "}");
    pattern.remove_prefix(close + 1);
  }
  return listed;
}

struct EditorConfig {
  bool is_root = false;
  std::string end_of_line;  // of the last section that says; empty if none does
};

EditorConfig read_editorconfig(const ConfigFile& file) {
  EditorConfig config;
  bool in_section = false;
  bool counts = false;
  for (const std::string_view whole : split(file.content, '\n')) {
    const std::string_view line = trim(whole);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[' && line.ends_with(']')) {
      in_section = true;
      counts = matches(with_listed_numbers(line.substr(1, line.size() - 2)), file.below, {});
      continue;
    }
    const std::size_t equals = line.find_first_of("=:");
    if (equals == std::string_view::npos) continue;
    const std::string key = to_lower(trim(line.substr(0, equals)));
    const std::string value = to_lower(trim(line.substr(equals + 1)));
    if (!in_section && key == "root") config.is_root = value == "true";
    if (counts && key == "end_of_line") config.end_of_line = value;
  }
  return config;
}

std::optional<NewFileEnding> by_editorconfig(const Context& context, std::string_view path) {
  for (const ConfigFile& file : files_above(context, path, ".editorconfig")) {
    const EditorConfig config = read_editorconfig(file);
    if (const auto ending = ending_named(config.end_of_line)) return NewFileEnding{*ending, file.name};
    if (config.is_root || config.end_of_line == "unset") break;
  }
  return std::nullopt;
}

// The attributes that .gitattributes files give a path: the last line and the nearest file count.
class Attributes {
 public:
  void read(const ConfigFile& file) {
    for (const std::string_view whole : split(file.content, '\n')) {
      const std::string_view line = trim(whole);
      if (line.empty() || line.front() == '#') continue;
      const bool is_quoted = line.front() == '"';
      const std::size_t end =
          std::min(is_quoted ? line.find('"', 1) : line.find_first_of(" \t"), line.size());
      const std::string_view pattern = is_quoted ? line.substr(1, end - 1) : line.substr(0, end);
      const std::string_view attributes = line.substr(std::min(end + 1, line.size()));
      if (pattern.starts_with("[attr]")) {
        macros_[std::string(pattern.substr(6))] = attributes;
      } else if (matches(std::string(pattern), file.below,
                         {.syntax = search::GlobOptions::Syntax::kGitPath})) {
        note(attributes, file.name, 0);
      }
    }
  }

  [[nodiscard]] std::optional<NewFileEnding> ending() const {
    if (!is_text_) return NewFileEnding{LineEnding::kLf, text_source_};
    const auto ending = ending_named(eol_);
    return ending ? std::optional(NewFileEnding{*ending, eol_source_}) : std::nullopt;
  }

 private:
  void note(std::string_view attributes, const std::string& source, int depth) {
    constexpr int kDeepest = 5;  // macros that name each other
    for (const std::string_view word : words_of(attributes)) {
      if (word == "text" || word == "crlf" || word.starts_with("text=")) {
        is_text_ = true;
      } else if (word == "-text" || word == "-crlf" || word == "binary") {
        is_text_ = false;
        text_source_ = source;
      } else if (word.starts_with("eol=")) {
        eol_ = word.substr(4);
        eol_source_ = source;
        is_text_ = true;
      } else if (word == "!eol" || word == "-eol") {
        eol_.clear();
      } else if (const auto macro = macros_.find(word); macro != macros_.end() && depth < kDeepest) {
        note(macro->second, source, depth + 1);
      }
    }
  }

  static std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (const std::string_view word : split(text, ' '))
      for (const std::string_view part : split(word, '\t'))
        if (!part.empty()) words.push_back(part);
    return words;
  }

  std::map<std::string, std::string, std::less<>> macros_;
  bool is_text_ = true;
  std::string text_source_;
  std::string eol_;
  std::string eol_source_;
};

std::optional<NewFileEnding> by_attributes(const Context& context, std::string_view path) {
  std::vector<ConfigFile> files = files_above(context, path, ".gitattributes");
  std::ranges::reverse(files);
  Attributes attributes;
  for (const ConfigFile& file : files) attributes.read(file);
  return attributes.ending();
}

}  // namespace

NewFileEnding ending_for_new_file(const Context& context, std::string_view path) {
  const std::string name = context.engines().root.relative_name(path);
  if (auto ending = by_editorconfig(context, name)) return *std::move(ending);
  if (auto ending = by_attributes(context, name)) return *std::move(ending);
  const bool is_crlf = context.engines().settings.edit.line_endings == NewLineEndings::kCrLf;
  return {is_crlf ? LineEnding::kCrLf : LineEnding::kLf, "the setting edit.line_endings"};
}

std::string with_new_file_endings(const Context& context, std::string_view path, std::string text) {
  if (text.contains('\r') || !text.contains('\n')) return text;
  const LineEnding ending = ending_for_new_file(context, path).ending;
  return ending == LineEnding::kLf ? text : text::with_endings(text, ending);
}

}  // namespace helve::toolkit
