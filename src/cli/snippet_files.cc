#include "cli/snippet_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "helve/params.h"
#include "text/language.h"
#include "toolkit/snippet_report.h"

namespace helve::cli {
namespace {

namespace fs = std::filesystem;

// One entry of the list; an exported entry has a `file` beside the list.
struct ListedSnippet {
  std::string file;
  std::string name;
  std::string code;
  std::string description;
  std::string language;
  std::vector<std::string> tags;
  std::string id;
  std::string created;
  std::string updated;
  int lines = 0;
  int bytes = 0;

  void describe(ParamSpec& p) {
    p.optional("file", file, "File with the code, beside the list.");
    p.required("name", name, "The snippet's name.");
    p.optional("code", code, "The code, when there is no file.");
    p.optional("description", description, "What it is for.");
    p.optional("language", language, "Its language.");
    p.optional("tags", tags, "Its tags.");
    p.optional("id", id, "Ignored.");
    p.optional("created", created, "Ignored.");
    p.optional("updated", updated, "Ignored.");
    p.optional("lines", lines, "Ignored.");
    p.optional("bytes", bytes, "Ignored.");
  }
};

struct List {
  std::vector<ListedSnippet> snippets;
  void describe(ParamSpec& p) { p.required("snippets", snippets, "The snippets."); }
};

Expected<std::string> read_code(const std::string& path) {
  auto code = read_file(path, store::kMaxSnippetCode);
  if (code && !is_valid_utf8(*code))
    return fail(ErrorCode::kInvalidArgument, concat(path, " is not valid UTF-8."),
                "Convert it to UTF-8 first.");
  return code;
}

// A list may only name files in its own directory.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

Expected<List> read_list(const std::string& path) {
  constexpr std::size_t kMaxList = std::size_t{256} << 20;
  const auto text = read_file(path, kMaxList);
  if (!text) return fail(text.error());
  const auto json = parse_json(*text, {.max_bytes = kMaxList});
  if (!json) return fail(json.error().code, concat(path, ": ", json.error().message), json.error().hint);
  if (const auto complaints = validate(params_of<List>(), *json, "member"); !complaints.empty())
    return fail(ErrorCode::kInvalidArgument,
                concat(path, " is not a list of snippets: ", complaints.front().path, " ",
                       complaints.front().problem),
                "Use a list written by helve snippets export.");
  return fill_params<List>(*json);
}

Expected<std::vector<store::SnippetDraft>> drafts_of(const List& list, const std::string& path) {
  std::vector<store::SnippetDraft> drafts;
  for (const ListedSnippet& listed : list.snippets) {
    store::SnippetDraft draft{listed.name, listed.code, listed.description, listed.language, listed.tags};
    if (!listed.file.empty()) {
      if (!is_plain_name(listed.file))
        return fail(ErrorCode::kInvalidArgument,
                    concat(path, " names a file in another directory: ", listed.file),
                    "Put the file beside the list.");
      auto code = read_code((fs::path(path).parent_path() / listed.file).string());
      if (!code) return fail(std::move(code).error());
      draft.code = *std::move(code);
    }
    drafts.push_back(std::move(draft));
  }
  return drafts;
}

}  // namespace

std::string file_name_for(const store::Snippet& snippet) {
  std::string name;
  for (const char c : snippet.name) {
    const bool unsafe = static_cast<unsigned char>(c) < 0x20 ||
                        std::string_view("/\\:*?\"<>|").find(c) != std::string_view::npos;
    name += unsafe ? '_' : c;
  }
  name = std::string(utf8_prefix(name, 100));
  if (name.starts_with('.') || name.starts_with('-') || name.starts_with('~')) name.front() = '_';
  const std::string extension = toolkit::extension_of(snippet.language);
  const auto own = text::language_of(name);
  // The name may already end with the extension.
  const bool complete = own && !snippet.language.empty() && own->id == toolkit::language_id(snippet.language);
  return complete ? name : concat(name, extension);
}

Expected<std::vector<ExportedFile>> export_files(const std::string& directory,
                                                 const std::vector<store::Snippet>& snippets, bool with_list,
                                                 bool force) {
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed)
    return fail(ErrorCode::kExecutionFailed, concat("Cannot create ", directory, ": ", failed.message()));
  std::vector<ExportedFile> files;
  std::set<std::string> taken{std::string(kSnippetList)};
  JsonArray list;
  for (const store::Snippet& snippet : snippets) {
    const fs::path wanted = file_name_for(snippet);
    std::string name = wanted.string();
    // Names that differ only in case are one file on some systems.
    for (int number = 2; !taken.insert(to_lower(name)).second; ++number)
      name = concat(wanted.stem().string(), "-", number, wanted.extension().string());
    files.push_back({(fs::path(directory) / name).string(), snippet.name});
    Json entry = toolkit::to_json(snippet);
    entry.as_object().erase("code");
    entry["file"] = name;
    list.push_back(std::move(entry));
  }
  std::vector<std::string> paths;
  for (const ExportedFile& file : files) paths.push_back(file.path);
  const std::string list_path = (fs::path(directory) / kSnippetList).string();
  if (with_list) paths.push_back(list_path);
  for (const std::string& path : paths)
    if (!force && fs::exists(fs::symlink_status(path)))
      return fail(ErrorCode::kConflict, concat(path, " already exists; nothing was written."),
                  "Export to an empty directory, or use --force to replace files.");
  for (std::size_t i = 0; i < files.size(); ++i)
    if (auto written = replace_private_file(files[i].path, snippets[i].code); !written)
      return fail(std::move(written).error());
  if (with_list)
    if (auto written = replace_private_file(
            list_path, concat(to_pretty_text(JsonObject{{"snippets", std::move(list)}}), "\n"));
        !written)
      return fail(std::move(written).error());
  return files;
}

Expected<std::vector<store::SnippetDraft>> import_file(const std::string& given) {
  std::error_code missing;
  std::string path = given;
  if (fs::is_directory(given, missing)) {
    path = (fs::path(given) / kSnippetList).string();
    if (!fs::exists(path, missing))
      return fail(ErrorCode::kNotFound, concat(given, " has no ", kSnippetList, "."),
                  "Name the files to import, or a directory that helve snippets export wrote.");
  }
  // Other JSON files are imported as code.
  if (path.ends_with(".json")) {
    const auto list = read_list(path);
    if (list) return drafts_of(*list, path);
    if (fs::path(path).filename() == kSnippetList) return fail(list.error());
  }
  auto code = read_code(path);
  if (!code) return fail(std::move(code).error());
  const fs::path file(path);
  std::string language = toolkit::guess_language(file.filename().string(), *code);
  return std::vector{store::SnippetDraft{
      .name = file.stem().string(), .code = *std::move(code), .language = std::move(language)}};
}

}  // namespace helve::cli
