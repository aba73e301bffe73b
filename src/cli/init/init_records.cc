#include "cli/init/init_records.h"

#include <algorithm>
#include <filesystem>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "helve/json.h"

namespace helve::cli {
namespace {}  // namespace

std::vector<std::string> InitRecord::undone(const std::string& text) const {
  std::vector<std::string> possible;
  if (const Splice back = splice.inverse(); back.fits(text)) possible.push_back(back.apply(text));
  // The text before it may have changed.
  const std::size_t first = text.find(splice.inserted);
  if (first != std::string::npos && text.find(splice.inserted, first + 1) == std::string::npos)
    possible.push_back(Splice{first, splice.inserted, splice.removed}.apply(text));
  return possible;
}

Expected<void> InitRecords::load() {
  const auto text = read_file(path_);
  if (!text) {
    if (text.error().code == ErrorCode::kNotFound) return {};
    return fail(text.error());
  }
  const auto list = parse_json(*text);
  if (!list || !list->is_array()) return {};  // without records, --remove is less exact but still safe
  for (const Json& entry : list->as_array()) {
    InitRecord record{.file = text_in(entry, "file"),
                      .splice = {0, text_in(entry, "removed"), text_in(entry, "inserted")}};
    std::int64_t at = 0;
    if (const Json* value = entry.find("at"); value != nullptr && value->fits_int64(at) && at >= 0)
      record.splice.at = static_cast<std::size_t>(at);
    if (const Json* value = entry.find("created")) record.created = value->is_bool() && value->as_bool();
    if (const Json* value = entry.find("directories"); value != nullptr && value->is_array())
      for (const Json& directory : value->as_array())
        if (directory.is_string()) record.directories.push_back(directory.as_string());
    if (!record.file.empty() && !record.splice.inserted.empty()) records_.push_back(std::move(record));
  }
  return {};
}

const InitRecord* InitRecords::find(const std::string& file) const {
  const auto found = std::ranges::find(records_, file, &InitRecord::file);
  return found == records_.end() ? nullptr : &*found;
}

Expected<void> InitRecords::keep(InitRecord record) {
  std::erase_if(records_, [&](const InitRecord& other) { return other.file == record.file; });
  records_.push_back(std::move(record));
  return save();
}

Expected<void> InitRecords::forget(const std::string& file) {
  if (std::erase_if(records_, [&](const InitRecord& record) { return record.file == file; }) == 0) return {};
  return save();
}

Expected<void> InitRecords::save() const {
  if (auto made = make_private_directories(std::filesystem::path(path_).parent_path().string()); !made)
    return fail(made.error());
  JsonArray list;
  for (const InitRecord& record : records_) {
    JsonArray directories;
    for (const std::string& directory : record.directories) directories.emplace_back(directory);
    list.push_back(JsonObject{{"file", record.file},
                              {"at", record.splice.at},
                              {"removed", record.splice.removed},
                              {"inserted", record.splice.inserted},
                              {"created", record.created},
                              {"directories", std::move(directories)}});
  }
  return replace_private_file(path_, concat(to_pretty_text(list), "\n"));
}

}  // namespace helve::cli
