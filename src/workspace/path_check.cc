#include "workspace/path_check.h"

#include <linux/limits.h>

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kLongestShown = 300;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::unexpected<Error> invalid(std::string_view path, std::string message, std::string hint) {
  return fail(path_error(ErrorKind::kInvalidPath, path, std::move(message), std::move(hint)));
}

}  // namespace

Error path_error(ErrorKind kind, std::string_view path, std::string message, std::string hint) {
  return {.code = ErrorCode::kSecurity,
          .message = std::move(message),
          .hint = std::move(hint),
          .details = JsonObject{{"path", printable_path(path)}},
          .kind = kind};
}

std::string printable_path(std::string_view path) {
  const std::string_view shown = utf8_prefix(path, kLongestShown);
  std::string out;
  for (const char c : to_valid_utf8(shown)) {
    if (is_control(c)) {
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      out += concat("\\x", kHex[byte >> 4], kHex[byte & 0xF]);
    } else {
      out += c;
    }
  }
  if (shown.size() < path.size()) out += concat("… (", with_thousands(path.size()), " bytes)");
  return out;
}

bool PathText::has_parent_component() const {
  return std::ranges::find(components, "..") != components.end();
}

PathText split_path(std::string_view path) {
  PathText text;
  text.absolute = path.starts_with('/');
  text.components.reserve(static_cast<std::size_t>(std::ranges::count(path, '/')) + 1);
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view component = path.substr(0, slash);
    const bool is_name = !component.empty() && component != ".";
    if (is_name) text.components.emplace_back(component);
    text.names_directory = !is_name || slash != std::string_view::npos;
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return text;
}

std::string join_path(std::span<const std::string> components) {
  return components.empty() ? std::string(".") : join(components, "/");
}

bool climbs_out(std::span<const std::string> components) {
  std::size_t depth = 0;
  for (const std::string& component : components) {
    if (component != "..") {
      ++depth;
    } else if (depth-- == 0) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> normalised(std::span<const std::string> components) {
  std::vector<std::string> out;
  for (const std::string& component : components) {
    if (component != "..") {
      out.push_back(component);
    } else if (!out.empty()) {
      out.pop_back();
    }
  }
  return out;
}

std::optional<std::vector<std::string>> beneath(std::span<const std::string> components,
                                                std::span<const std::string> prefix) {
  if (components.size() < prefix.size() || !std::ranges::equal(components.first(prefix.size()), prefix))
    return std::nullopt;
  const auto rest = components.subspan(prefix.size());
  return std::vector<std::string>(rest.begin(), rest.end());
}

Expected<void> check_path_text(std::string_view path) {
  if (path.empty()) return invalid(path, "The path is empty.", "Name a file, or . for the workspace itself.");
  if (path.size() >= PATH_MAX)
    return invalid(path,
                   concat("The path is ", with_thousands(path.size()), " bytes long; at most ",
                          with_thousands(PATH_MAX - 1), " are possible."),
                   "Check that file content was not passed as the path.");
  const auto control = std::ranges::find_if(path, is_control);
  if (control != path.end()) {
    const std::string_view what = *control == '\0' ? "a NUL byte" : "a control character";
    return invalid(path,
                   concat("The path \"", printable_path(path), "\" contains ", what, " at position ",
                          control - path.begin() + 1, "."),
                   "Write the path as plain text, one path per argument.");
  }
  for (std::size_t begin = 0; path.size() - begin > NAME_MAX;) {
    const std::size_t length = std::min(path.find('/', begin), path.size()) - begin;
    if (length > NAME_MAX)
      return invalid(path,
                     concat("The path \"", printable_path(path), "\" has a component of ", length,
                            " bytes; at most ", NAME_MAX, " are possible."),
                     "Use a shorter file name.");
    begin += std::min(length + 1, path.size() - begin);
  }
  return {};
}

}  // namespace helve::workspace
