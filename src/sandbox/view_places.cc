#include "sandbox/view_places.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/strings.h"
#include "sandbox/mount_calls.h"

namespace helve::sandbox {
namespace {

// The innermost place that contains the path; null when there is none.
Place* innermost(std::vector<Place>& places, std::string_view path) {
  Place* best = nullptr;
  for (Place& place : places)
    if (is_within(path, place.path) && (best == nullptr || place.path.size() > best->path.size()))
      best = &place;
  return best;
}

void add_writable(const std::string& path, std::vector<Place>& places) {
  Place* around = innermost(places, path);
  if (around != nullptr && around->path == path) {
    around->kind = PlaceKind::kWritable;
    return;
  }
  if (around == nullptr || around->kind != PlaceKind::kWritable)
    places.push_back({path, PlaceKind::kWritable});
}

}  // namespace

Expected<void> check_writable(const std::string& path) {
  if (!path.starts_with('/'))
    return fail(ErrorCode::kInvalidArgument,
                concat("The sandbox cannot make '", path, "' writable: it is not an absolute path"));
  for (const std::string_view system : {"/proc", "/sys"})
    if (is_within(path, system))
      return fail(ErrorCode::kInvalidArgument, concat("The sandbox cannot make ", path, " writable"),
                  "Choose a workspace outside of /proc and /sys.");
  if (path == "/" || path == "/dev")
    return fail(ErrorCode::kInvalidArgument,
                concat("The sandbox cannot make ", path, " writable: nothing would be left to protect"),
                "Choose a directory below it as the workspace, or set the sandbox to read-only or off.");
  return {};
}

std::vector<Place> find_covers() {
  std::vector<Place> covers;
  for (const auto& [path, kind] : {std::pair{"/dev", PlaceKind::kDev},
                                   {"/proc", PlaceKind::kProc},
                                   {"/run", PlaceKind::kRun},
                                   {"/tmp", PlaceKind::kTemporary},
                                   {"/var/run", PlaceKind::kRun},
                                   {"/var/tmp", PlaceKind::kTemporary}}) {
    struct stat status;
    if (::lstat(path, &status) == 0 && S_ISDIR(status.st_mode)) covers.push_back({path, kind});
  }
  return covers;
}

Expected<std::vector<Place>> arrange_places(const Plan& plan, std::vector<Place> covers) {
  std::vector<Place> places = std::move(covers);
  if (plan.level == Level::kWorkspaceWrite) {
    std::vector<std::string> writable = plan.writable;
    writable.push_back(plan.workspace);
    std::ranges::sort(writable);  // outer ones first, so that inner ones are already writable
    for (const std::string& path : writable) {
      if (auto good = check_writable(path); !good) return fail(std::move(good.error()));
      add_writable(path, places);
    }
  } else if (Place* around = innermost(places, plan.workspace);
             around != nullptr && around->path != plan.workspace) {
    places.push_back({plan.workspace, PlaceKind::kVisible});
  } else if (around != nullptr) {
    around->kind = PlaceKind::kVisible;
  }
  for (const std::string& path : plan.visible)
    if (const Place* around = innermost(places, path);
        around != nullptr && is_cover(around->kind) && around->path != path)
      places.push_back({path, PlaceKind::kVisible});
  std::ranges::sort(places, {}, &Place::path);
  return places;
}

}  // namespace helve::sandbox
