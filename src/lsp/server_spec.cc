#include "lsp/server_spec.h"

#include <algorithm>

#include "base/strings.h"
#include "helve/settings/lsp.h"
#include "text/language.h"

namespace helve::lsp {
namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string extension_of(std::string_view path) {
  const std::string_view name = file_name(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string() : to_lower(name.substr(dot + 1));
}

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

void apply(ServerSpec& spec, const LanguageServerSettings& given) {
  if (given.enabled) spec.enabled = *given.enabled;
  if (given.command) {
    spec.command = *given.command;
    spec.native_typescript = false;
    spec.other_commands.clear();
  }
  if (given.args) {
    spec.args = *given.args;
    spec.newer_args.clear();
  }
  if (given.languages) spec.languages = *given.languages;
  if (given.files) {
    spec.extensions.clear();
    spec.file_names.clear();
    for (const std::string& file : *given.files) {
      if (file.starts_with("*."))
        spec.extensions.push_back(to_lower(file.substr(2)));
      else if (file.starts_with('.') && file.find('.', 1) == std::string::npos)
        spec.extensions.push_back(to_lower(file.substr(1)));
      else
        spec.file_names.push_back(file);
    }
  }
  if (given.root_markers) spec.root_markers = *given.root_markers;
  if (given.initialization_options) spec.initialization_options = *given.initialization_options;
  if (given.settings) spec.settings = *given.settings;
  if (given.install) spec.install = *given.install;
  if (given.sandbox) spec.runs_project_code = *given.sandbox;
}

}  // namespace

std::string language_id(std::string_view path, std::string_view beginning) {
  const auto language = text::language_of(path, beginning);
  return language ? std::string(language->id) : "plaintext";
}

bool ServerSpec::serves(std::string_view path, std::string_view beginning) const {
  if (contains(file_names, file_name(path))) return true;
  if (const std::string extension = extension_of(path); !extension.empty() && contains(extensions, extension))
    return true;
  const auto language = text::language_of(path, beginning);
  return language && contains(languages, language->id);
}

bool ServerSpec::embeds_code_in(std::string_view path) const {
  const std::string extension = extension_of(path);
  return !extension.empty() && contains(embedding_extensions, extension);
}

std::vector<std::string> ServerSpec::globs() const {
  std::vector<std::string> globs;
  for (const std::string& extension : extensions) globs.push_back(concat("*.", extension));
  for (const std::string& file : file_names) globs.push_back(file);
  for (const text::LanguageRow& row : text::language_table()) {
    if (!contains(languages, row.language.id)) continue;
    for (const std::string_view extension : split(row.extensions, ' '))
      if (!extension.empty()) globs.push_back(concat("*.", extension));
  }
  for (const std::string& marker : root_markers)
    if (marker.find('/') == std::string::npos && !marker.starts_with('.')) globs.push_back(marker);
  return globs;
}

std::vector<ServerSpec> configured_servers(const LspSettings& settings) {
  std::vector<ServerSpec> specs = builtin_servers();
  std::vector<ServerSpec> own;
  for (const auto& [name, given] : settings.servers) {
    const auto known = std::ranges::find(specs, name, &ServerSpec::name);
    if (known != specs.end()) {
      apply(*known, given);
      continue;
    }
    ServerSpec spec{.name = name, .command = name};
    apply(spec, given);
    own.push_back(std::move(spec));
  }
  std::ranges::move(specs, std::back_inserter(own));
  return own;
}

}  // namespace helve::lsp
