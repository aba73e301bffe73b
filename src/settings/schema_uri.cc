#include "settings/schema_uri.h"

#include <charconv>
#include <vector>

#include "base/strings.h"

namespace helve::settings {
namespace {

// The parts of a URI reference; the delimiters belong to the parts.
struct UriParts {
  std::string_view scheme;     // with its colon
  std::string_view authority;  // with //
  std::string_view path;
  std::string_view query;     // with ?
  std::string_view fragment;  // with #
};

UriParts parts_of(std::string_view uri) {
  UriParts parts;
  const auto cut = [&uri](std::size_t at) {
    const std::string_view rest = at == std::string_view::npos ? std::string_view() : uri.substr(at);
    uri = uri.substr(0, at);
    return rest;
  };
  parts.fragment = cut(uri.find('#'));
  parts.query = cut(uri.find('?'));
  const std::size_t colon = uri.find(':');
  if (colon != std::string_view::npos && uri.find('/') > colon) {
    parts.scheme = uri.substr(0, colon + 1);
    uri.remove_prefix(colon + 1);
  }
  if (uri.starts_with("//")) {
    const std::size_t end = uri.find('/', 2);
    parts.authority = uri.substr(0, end);
    uri.remove_prefix(parts.authority.size());
  }
  parts.path = uri;
  return parts;
}

std::string without_dots(std::string_view path) {
  std::vector<std::string_view> kept;
  const std::vector<std::string_view> names = split(path, '/');
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    const bool up = names[i] == "..";
    if (!up && names[i] != ".") {
      kept.push_back(names[i]);
      continue;
    }
    if (up && kept.size() > 1) kept.pop_back();
    if (last) kept.emplace_back();
  }
  std::string out;
  for (std::size_t i = 0; i < kept.size(); ++i) out += concat(i == 0 ? "" : "/", kept[i]);
  return out;
}

std::string merged(const UriParts& base, std::string_view path) {
  if (path.starts_with('/')) return without_dots(path);
  if (base.path.empty() && !base.authority.empty()) return without_dots(concat("/", path));
  const std::size_t slash = base.path.rfind('/');
  return without_dots(concat(slash == std::string_view::npos ? "" : base.path.substr(0, slash + 1), path));
}

std::string without_percent_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string resolve_uri(std::string_view base_uri, std::string_view reference) {
  const UriParts base = parts_of(base_uri);
  const UriParts own = parts_of(reference);
  if (!own.scheme.empty()) return std::string(reference);
  if (!own.authority.empty()) return concat(base.scheme, reference);
  if (!own.path.empty())
    return concat(base.scheme, base.authority, merged(base, own.path), own.query, own.fragment);
  return concat(base.scheme, base.authority, base.path, own.query.empty() ? base.query : own.query,
                own.fragment);
}

std::pair<std::string, std::string> split_fragment(std::string_view uri) {
  const std::size_t hash = uri.find('#');
  if (hash == std::string_view::npos) return {std::string(uri), {}};
  return {std::string(uri.substr(0, hash)), without_percent_escapes(uri.substr(hash + 1))};
}

std::optional<std::string> take_pointer_step(std::string_view& pointer) {
  if (!pointer.starts_with('/')) return {};
  const std::size_t end = pointer.find('/', 1);
  const std::string_view name = pointer.substr(1, end == std::string_view::npos ? end : end - 1);
  pointer = end == std::string_view::npos ? std::string_view() : pointer.substr(end);
  return replace_all(replace_all(name, "~1", "/"), "~0", "~");
}

const Json* pointer_step(const Json& value, std::string_view name) {
  if (!value.is_array()) return value.find(name);
  std::size_t index = 0;
  const auto end = std::from_chars(name.data(), name.data() + name.size(), index);
  const bool good = end.ec == std::errc() && end.ptr == name.data() + name.size();
  return good && index < value.as_array().size() ? &value.as_array()[index] : nullptr;
}

}  // namespace helve::settings
