// Snippets as files: a directory with one file for each, and a list of what belongs to them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "store/snippets.h"

namespace helve::cli {

// The list in a directory of exported snippets.
inline constexpr std::string_view kSnippetList = "snippets.json";

// A name for a file with the snippet's code that is safe on any file system: no directories, no hidden file.
[[nodiscard]] std::string file_name_for(const store::Snippet& snippet);

struct ExportedFile {
  std::string path;
  std::string name;  // the snippet's
};

// Writes one file for each snippet and, when `with_list`, the list beside them. Files that are there are
// replaced only with `force`; otherwise CONFLICT, and nothing is written.
[[nodiscard]] Expected<std::vector<ExportedFile>> export_files(const std::string& directory,
                                                               const std::vector<store::Snippet>& snippets,
                                                               bool with_list, bool force);

// What a file, a list, or a directory with a list holds. A file's snippet has the file's name without its
// extension, and the language of the extension.
[[nodiscard]] Expected<std::vector<store::SnippetDraft>> import_file(const std::string& path);

}  // namespace helve::cli
