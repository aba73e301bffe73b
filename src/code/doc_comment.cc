#include "code/doc_comment.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::code {
namespace {

constexpr std::size_t kMostLines = 60;
constexpr std::size_t kLongestDoc = 2000;

// Without the marks at the start and end of a line of comment.
std::string_view without_marks(std::string_view line, CommentStyle style) {
  line = trim(line);
  if (style == CommentStyle::kHash) {
    while (line.starts_with('#')) line.remove_prefix(1);
    return trim(line);
  }
  for (const std::string_view mark : {"/**<", "/**", "/*!", "/*", "///<", "///", "//!<", "//!", "//"})
    if (line.starts_with(mark)) {
      line.remove_prefix(mark.size());
      break;
    }
  if (line.ends_with("*/")) line.remove_suffix(2);
  line = trim(line);
  while (line.starts_with('*')) line.remove_prefix(1);
  line = trim(line);
  if (line.starts_with("<summary>")) line.remove_prefix(9);
  if (line.ends_with("</summary>")) line.remove_suffix(10);
  return trim(line);
}

std::string joined(const std::vector<std::string_view>& lines, CommentStyle style) {
  std::string doc;
  for (const std::string_view line : lines) {
    const std::string_view words = without_marks(line, style);
    // Rulers of dashes, stars and the like say nothing.
    const bool ruler = words.size() > 3 && words.find_first_not_of("-=*#/~_+ ") == std::string_view::npos;
    if (!ruler) doc += concat(words, "\n");
    if (doc.size() > kLongestDoc) break;
  }
  return shortened(trim(doc), kLongestDoc);
}

bool is_attribute(std::string_view line, CommentStyle style) {
  if (style == CommentStyle::kHash) return line.starts_with('@');
  return line.starts_with("#[") || line.starts_with('@') || (line.starts_with('[') && line.ends_with(']')) ||
         (line.starts_with("template") && line.ends_with('>'));
}

}  // namespace

std::string comment_before(std::string_view text, std::uint32_t begin, CommentStyle style) {
  std::size_t end = text.substr(0, begin).rfind('\n');
  std::vector<std::string_view> lines;
  bool in_block = false;
  while (end != std::string_view::npos && lines.size() < kMostLines) {
    const std::size_t before = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = trim(text.substr(start, end - start));
    if (style == CommentStyle::kSlashes && !in_block && line.ends_with("*/")) {
      const std::size_t open = line.find("/*");
      if (open != 0 && open != std::string_view::npos) break;  // behind code
      in_block = open == std::string_view::npos;
      lines.push_back(line);
    } else if (in_block) {
      lines.push_back(line);
      if (line.starts_with("/*")) in_block = false;
      if (line.find("/*") != std::string_view::npos && in_block) return {};
    } else if (line.starts_with(style == CommentStyle::kHash ? "#" : "//") && !line.starts_with("#!")) {
      lines.push_back(line);
    } else if (!lines.empty() || !is_attribute(line, style)) {
      break;
    }
    end = before;
  }
  if (in_block) return {};
  std::ranges::reverse(lines);
  return joined(lines, style);
}

std::string comment_at_start(std::string_view text, CommentStyle style) {
  std::vector<std::string_view> lines;
  bool in_block = false;
  for (const std::string_view raw : split(text.substr(0, 8192), '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty() && lines.empty()) continue;
    if (lines.empty() && (line.starts_with("#!") || line.starts_with("<?php"))) continue;
    const bool opens = style == CommentStyle::kSlashes && line.starts_with("/*");
    if (in_block || opens) {
      lines.push_back(line);
      in_block = line.find("*/") == std::string_view::npos;
      continue;
    }
    if (!line.starts_with(style == CommentStyle::kHash ? "#" : "//")) break;
    lines.push_back(line);
    if (lines.size() > kMostLines) break;
  }
  std::string doc = joined(lines, style);
  const std::string lower = to_lower(doc.substr(0, 600));
  for (const std::string_view word : {"copyright", "licen", "spdx", "eslint", "-*-"})
    if (lower.find(word) != std::string::npos) return {};
  return doc;
}

std::string docstring_text(std::string_view literal) {
  const std::size_t open = literal.find_first_of("\"'");
  if (open == std::string_view::npos) return {};
  literal.remove_prefix(open);
  const char quote = literal.front();
  const std::size_t marks = literal.starts_with(std::string(3, quote)) ? 3 : 1;
  if (literal.size() < 2 * marks) return {};
  literal = literal.substr(marks, literal.size() - 2 * marks);
  std::string doc;
  for (const std::string_view line : split(literal, '\n')) {
    doc += concat(trim(line), "\n");
    if (doc.size() > kLongestDoc) break;
  }
  return shortened(trim(doc), kLongestDoc);
}

}  // namespace helve::code
