#include "settings/trust.h"

#include <algorithm>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/strings.h"

namespace helve::settings {

TrustedFolders::TrustedFolders(const std::string& state_directory)
    : directory_(state_directory), path_(concat(state_directory, "/trusted-folders.json")) {}

Expected<std::vector<std::string>> TrustedFolders::list() const {
  const auto text = read_file(path_);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::vector<std::string>();
  if (!text) return fail(text.error());
  const auto json = parse_json(*text);
  if (!json || !json->is_array())
    return fail(ErrorCode::kExecutionFailed,
                concat(path_, " is damaged; no folder is trusted until it is mended."),
                "Remove the file and trust your folders again.");
  std::vector<std::string> folders;
  for (const Json& folder : json->as_array())
    if (folder.is_string()) folders.push_back(folder.as_string());
  return folders;
}

Expected<bool> TrustedFolders::contains(const std::string& folder) const {
  const auto folders = list();
  if (!folders) return fail(folders.error());
  return std::ranges::find(*folders, folder) != folders->end();
}

Expected<void> TrustedFolders::add(const std::string& folder) {
  if (auto made = make_private_directories(directory_); !made) return made;
  const auto lock = lock_directory(directory_);
  if (!lock) return fail(lock.error());
  auto folders = list();
  if (!folders) return fail(folders.error());
  if (std::ranges::find(*folders, folder) != folders->end()) return {};
  folders->push_back(folder);
  return save(*folders);
}

Expected<bool> TrustedFolders::remove(const std::string& folder) {
  const auto lock = lock_directory(directory_);
  if (!lock && lock.error().code == ErrorCode::kNotFound) return false;
  if (!lock) return fail(lock.error());
  auto folders = list();
  if (!folders) return fail(folders.error());
  if (std::erase(*folders, folder) == 0) return false;
  if (auto saved = save(*folders); !saved) return fail(saved.error());
  return true;
}

Expected<void> TrustedFolders::save(const std::vector<std::string>& folders) const {
  JsonArray list;
  for (const std::string& folder : folders) list.emplace_back(folder);
  return replace_private_file(path_, to_pretty_text(list) + "\n");
}

}  // namespace helve::settings
