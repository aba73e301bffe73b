// Exports snippets as one file each with a list of their metadata, and imports them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "store/snippets.h"

namespace helve::cli {

// The list in a directory of exported snippets.
inline constexpr std::string_view kSnippetList = "snippets.json";

// A file name for the snippet that is safe on any file system: no directories, not hidden.
[[nodiscard]] std::string file_name_for(const store::Snippet& snippet);

struct ExportedFile {
  std::string path;
  std::string name;  // the snippet's
};

// Writes one file per snippet and, with `with_list`, the list. Existing files are replaced only with `force`;
// otherwise CONFLICT, and nothing is written.
[[nodiscard]] Expected<std::vector<ExportedFile>> export_files(const std::string& directory,
                                                               const std::vector<store::Snippet>& snippets,
                                                               bool with_list, bool force);

// Reads the snippets of a file, a list, or a directory with a list. A file's snippet is named after the file
// without its extension, which gives the language.
[[nodiscard]] Expected<std::vector<store::SnippetDraft>> import_file(const std::string& path);

}  // namespace helve::cli
