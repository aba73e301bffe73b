#include "cli/init/json_edit.h"

#include <algorithm>
#include <vector>

#include "base/json_parse.h"
#include "gateway/server_sources.h"

namespace helve::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct Member {
  std::string key;
  std::size_t key_begin = 0;
  std::size_t value_begin = 0;
  std::size_t value_end = 0;
  bool has_comma = false;
  std::size_t end = 0;  // behind the comma, if there is one
};

struct Object {
  std::size_t open = 0;   // the brace
  std::size_t close = 0;  // the other one
  std::vector<Member> members;
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Scans text that the parser has accepted.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // The object that begins at or after `at`.
  Object object(std::size_t at) const {
    Object found;
    found.open = skip_blanks(at);
    at = skip_blanks(found.open + 1);
    while (at < text_.size() && text_[at] != '}') {
      Member member;
      member.key_begin = at;
      const std::size_t key_end = skip_string(at);
      member.key = parse_json(text_.substr(at, key_end - at)).value_or(Json("")).as_string();
      member.value_begin = skip_blanks(skip_blanks(key_end) + 1);  // behind the colon
      member.value_end = skip_value(member.value_begin);
      at = skip_blanks(member.value_end);
      member.has_comma = at < text_.size() && text_[at] == ',';
      member.end = member.has_comma ? at + 1 : member.value_end;
      if (member.has_comma) at = skip_blanks(at + 1);
      found.members.push_back(std::move(member));
    }
    found.close = at;
    return found;
  }

  std::size_t skip_blanks(std::size_t at) const {
    while (at < text_.size()) {
      if (is_blank(text_[at]))
        ++at;
      else if (const std::size_t end = skip_comment(at); end != at)
        at = end;
      else
        break;
    }
    return at;
  }

  // Skips blanks and comments on the same line.
  std::size_t skip_line_comments(std::size_t at) const {
    std::size_t end = at;
    while (at < text_.size() && text_[at] != '\n' && text_[at] != '\r') {
      if (text_[at] == ' ' || text_[at] == '\t') {
        ++at;
        continue;
      }
      const std::size_t behind = skip_comment(at);
      if (behind == at || text_.substr(at, behind - at).find('\n') != std::string_view::npos) break;
      at = end = behind;
    }
    return end;
  }

 private:
  // Returns `at` if there is no comment. Excludes the line break.
  std::size_t skip_comment(std::size_t at) const {
    if (text_.substr(at, 2) == "//") {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      return end > at && end < text_.size() && text_[end - 1] == '\r' ? end - 1 : end;
    }
    if (text_.substr(at, 2) == "/*") return std::min(text_.find("*/", at + 2), text_.size() - 2) + 2;
    return at;
  }

  std::size_t skip_string(std::size_t at) const {
    for (++at; at < text_.size() && text_[at] != '"'; ++at)
      if (text_[at] == '\\') ++at;
    return std::min(at + 1, text_.size());
  }

  std::size_t skip_value(std::size_t at) const {
    if (at >= text_.size()) return at;
    if (text_[at] == '"') return skip_string(at);
    if (text_[at] != '{' && text_[at] != '[') {
      while (at < text_.size() && !is_blank(text_[at]) &&
             std::string_view(",]}/").find(text_[at]) == std::string_view::npos)
        ++at;
      return at;
    }
    std::size_t depth = 0;
    while (at < text_.size()) {
      const char c = text_[at];
      if (c == '"') {
        at = skip_string(at);
        continue;
      }
      if (const std::size_t end = skip_comment(at); end != at) {
        at = end;
        continue;
      }
      ++at;
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) break;
    }
    return at;
  }

  std::string_view text_;
};

std::string_view indentation_at(std::string_view text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t line = before == std::string_view::npos ? 0 : before + 1;
  std::size_t end = line;
  while (end < at && (text[end] == ' ' || text[end] == '\t')) ++end;
  return text.substr(line, end - line);
}

// The file's layout, for added text.
struct Layout {
  std::string line_break;  // empty: all on one line
  std::string unit;

  explicit Layout(std::string_view text) {
    const std::string_view inside = trim(text);
    const std::size_t line_end = inside.find('\n');
    const Object root = Scanner(text).object(0);
    unit = "  ";
    if (line_end == std::string_view::npos && !root.members.empty()) return;
    const std::size_t any = text.find('\n');
    line_break = any != std::string_view::npos && any > 0 && text[any - 1] == '\r' ? "\r\n" : "\n";
    if (!root.members.empty())
      if (const std::string_view indent = indentation_at(text, root.members.front().key_begin);
          !indent.empty())
        unit = indent;
  }

  // Objects over several lines, lists of plain values on one.
  [[nodiscard]] std::string render(const Json& value, const std::string& indent) const {
    if (!value.is_object() || value.as_object().empty() || line_break.empty()) {
      if (!value.is_array()) return to_text(value);
      std::string out;
      for (const Json& element : value.as_array())
        out += concat(out.empty() ? "" : line_break.empty() ? "," : ", ", to_text(element));
      return concat("[", out, "]");
    }
    std::string out = "{";
    for (const auto& [key, member] : value.as_object())
      out += concat(out.size() == 1 ? "" : ",", line_break, indent, unit, to_text(Json(key)), ": ",
                    render(member, indent + unit));
    return concat(out, line_break, indent, "}");
  }
};

std::unexpected<Error> by_hand(const std::string& file) {
  return fail(ErrorCode::kConflict, concat(file, " cannot be changed safely."), "Edit the file by hand.");
}

// Adds a member after the object's last one.
Splice append_to(std::string_view text, const Object& object, const std::string& name, const Json& value) {
  const Layout layout(text);
  const Scanner scanner(text);
  const std::string base(indentation_at(text, object.open));
  const std::string indent = layout.line_break.empty() ? "" : base + layout.unit;
  const auto member = [&](const std::string& at_indent) {
    return concat(layout.line_break, at_indent, to_text(Json(name)), layout.line_break.empty() ? ":" : ": ",
                  layout.render(value, at_indent));
  };
  if (object.members.empty()) {
    std::size_t kept = object.open + 1;  // comments stay
    for (std::size_t at = kept; at < object.close; ++at)
      if (!is_blank(text[at])) kept = at + 1;
    return {kept, std::string(text.substr(kept, object.close - kept)),
            concat(member(indent), layout.line_break, layout.line_break.empty() ? "" : base)};
  }
  const Member& last = object.members.back();
  const std::size_t end = scanner.skip_line_comments(last.end);
  const std::size_t from = last.has_comma ? end : last.value_end;
  const std::string comment(text.substr(last.end, end - last.end));
  // Use the members' actual indentation.
  const std::string own(indentation_at(text, last.key_begin));
  return {from, last.has_comma ? "" : comment,
          concat(last.has_comma ? "" : ",", last.has_comma ? "" : comment,
                 member(layout.line_break.empty()  ? ""
                        : own.size() > base.size() ? own
                                                   : indent),
                 last.has_comma ? "," : "")};
}

Splice take_from(std::string_view text, const Object& object, std::size_t index) {
  const Scanner scanner(text);
  const Member& member = object.members[index];
  const auto replace = [&](std::size_t from, std::size_t to, std::string by) {
    return Splice{from, std::string(text.substr(from, to - from)), std::move(by)};
  };
  if (object.members.size() == 1) {
    const bool bare = scanner.skip_line_comments(member.end) == member.end &&
                      trim(text.substr(object.open + 1, member.key_begin - object.open - 1)).empty() &&
                      trim(text.substr(member.end, object.close - member.end)).empty();
    return bare ? replace(object.open + 1, object.close, "") : replace(member.key_begin, member.end, "");
  }
  if (index == 0) return replace(member.key_begin, object.members[1].key_begin, "");
  // Removes the comma before the last member; comments stay.
  const Member& before = object.members[index - 1];
  const std::string comment(text.substr(before.end, scanner.skip_line_comments(before.end) - before.end));
  return replace(before.value_end, member.end, concat(member.has_comma ? "," : "", comment));
}

const Json* find_path(const Json& root, std::span<const std::string> path) {
  const Json* at = &root;
  for (const std::string& key : path)
    if (at != nullptr) at = at->find(key);
  return at;
}

}  // namespace

Expected<Json> parse_settings_json(std::string_view text, const std::string& file) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (trim(text).empty()) return Json(JsonObject());
  auto json = parse_json(gateway::without_comments(text));
  if (!json) return fail(json.error().code, concat(file, ": ", json.error().message), "Correct the file.");
  if (!json->is_object())
    return fail(ErrorCode::kInvalidArgument, concat(file, " is not a JSON object."), "Correct the file.");
  return json;
}

Expected<Splice> add_member(std::string_view text, const std::string& file, std::span<const std::string> path,
                            const std::string& name, const Json& value) {
  const auto before = parse_settings_json(text, file);
  if (!before) return fail(before.error());
  if (trim(text).empty() || trim(text) == kByteOrderMark) {
    Json whole = JsonObject{{name, value}};
    for (std::size_t i = path.size(); i-- > 0;) whole = JsonObject{{path[i], whole}};
    return Splice{text.size(), "", concat(Layout("{}").render(whole, ""), "\n")};
  }
  const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::string_view inside = text.substr(begin);
  Object object = Scanner(inside).object(0);
  std::size_t depth = 0;
  const Json* now = &*before;
  while (depth < path.size()) {
    const Json* next = now->find(path[depth]);
    if (next == nullptr) break;
    if (!next->is_object())
      return fail(ErrorCode::kConflict, concat(file, ": ", path[depth], " must be an object."),
                  "Correct the file.");
    const auto member = std::ranges::find(object.members, path[depth], &Member::key);
    if (member == object.members.end()) return by_hand(file);
    object = Scanner(inside).object(member->value_begin);
    now = next;
    ++depth;
  }
  if (depth == path.size() && now->find(name) != nullptr)
    return fail(ErrorCode::kConflict, concat(file, " has another ", join(path, "."), ".", name, "."),
                "Check it and remove it if it is not needed.");
  Json added = value;
  std::string key = name;
  for (std::size_t i = path.size(); i-- > depth;) {
    added = JsonObject{{key, added}};
    key = path[i];
  }
  Splice splice = append_to(inside, object, key, added);
  // Nothing else may have changed.
  Json expected = *before;
  Json* at = &expected;
  for (const std::string& step : path) {
    if (at->find(step) == nullptr) at->as_object().append(step, JsonObject());
    at = at->as_object().find(step);
  }
  at->as_object().append(name, value);
  const auto after = parse_settings_json(splice.apply(inside), file);
  if (!after || *after != expected) return by_hand(file);
  splice.at += begin;
  return splice;
}

Expected<Splice> remove_member(std::string_view text, const std::string& file,
                               std::span<const std::string> path, const std::string& name) {
  auto before = parse_settings_json(text, file);
  if (!before) return fail(before.error());
  const Json* holder = find_path(*before, path);
  if (holder == nullptr || !holder->is_object() || holder->find(name) == nullptr)
    return fail(ErrorCode::kNotFound, concat(file, " has no ", join(path, "."), ".", name, "."));
  const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::string_view inside = text.substr(begin);
  Object object = Scanner(inside).object(0);
  for (const std::string& key : path) {
    const auto member = std::ranges::find(object.members, key, &Member::key);
    if (member == object.members.end()) return by_hand(file);
    object = Scanner(inside).object(member->value_begin);
  }
  const auto member = std::ranges::find(object.members, name, &Member::key);
  if (member == object.members.end()) return by_hand(file);
  Splice splice = take_from(inside, object, static_cast<std::size_t>(member - object.members.begin()));
  Json* at = &*before;
  for (const std::string& step : path) at = at->as_object().find(step);
  at->as_object().erase(name);
  const auto after = parse_settings_json(splice.apply(inside), file);
  if (!after || *after != *before) return by_hand(file);
  splice.at += begin;
  return splice;
}

}  // namespace helve::cli
