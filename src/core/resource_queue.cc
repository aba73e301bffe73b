#include "core/resource_queue.h"

#include <algorithm>
#include <filesystem>

#include "base/strings.h"

namespace helve::core {
namespace {

constexpr std::string_view kFilePrefix = "file:";

bool covers(std::string_view directory, std::string_view path) {
  if (directory.empty() || directory == path) return true;
  if (!directory.starts_with(kFilePrefix) || !path.starts_with(directory)) return false;
  return directory == kFilePrefix || path[directory.size()] == '/';
}

// Most paths are already normal: no empty component, no "." and no "..".
bool is_plain_path(std::string_view path) {
  for (;;) {
    const std::size_t slash = path.find('/');
    const std::string_view component = path.substr(0, slash);
    if (component.empty() || component == "." || component == "..") return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

struct ResourceQueue::Claim {
  std::vector<Resource> resources;
  std::function<void()> on_turn;
  std::size_t blockers = 0;
  std::vector<std::shared_ptr<Claim>> waiting;  // later claims that this one blocks
  std::list<std::shared_ptr<Claim>>::iterator position;
  bool left = false;
};

bool conflict(const Resource& a, const Resource& b) {
  if (a.use == Resource::Use::kShared && b.use == Resource::Use::kShared) return false;
  return covers(a.key, b.key) || covers(b.key, a.key);
}

bool conflict(const std::vector<Resource>& a, const std::vector<Resource>& b) {
  return std::ranges::any_of(a, [&](const Resource& one) {
    return std::ranges::any_of(b, [&](const Resource& other) { return conflict(one, other); });
  });
}

Resource normalised(Resource resource, const std::string& workspace) {
  if (!resource.key.starts_with(kFilePrefix)) return resource;
  std::string_view path = std::string_view(resource.key).substr(kFilePrefix.size());
  if (path.starts_with(workspace) && (path.size() == workspace.size() || path[workspace.size()] == '/')) {
    path.remove_prefix(workspace.size());
    while (path.starts_with('/')) path.remove_prefix(1);
  }
  if (is_plain_path(path)) {
    const std::size_t cut = resource.key.size() - path.size() - kFilePrefix.size();
    resource.key.erase(kFilePrefix.size(), cut);
    return resource;
  }
  std::string plain = std::filesystem::path(path).lexically_normal().string();
  while (plain.ends_with('/')) plain.pop_back();
  if (plain == ".") plain.clear();
  resource.key = concat(kFilePrefix, plain);
  return resource;
}

void ResourceQueue::Place::leave() {
  if (claim_) queue_->leave(std::exchange(claim_, nullptr));
}

std::optional<ResourceQueue::Place> ResourceQueue::enter_if_free(std::vector<Resource>& resources) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::any_of(claims_,
                          [&](const auto& earlier) { return conflict(earlier->resources, resources); }))
    return {};
  auto claim = std::make_shared<Claim>();
  claim->resources = std::move(resources);
  claim->position = claims_.insert(claims_.end(), claim);
  return Place(this, std::move(claim));
}

ResourceQueue::Place ResourceQueue::enter(std::vector<Resource> resources, std::function<void()> on_turn) {
  auto claim = std::make_shared<Claim>();
  claim->resources = std::move(resources);
  claim->on_turn = std::move(on_turn);
  bool has_turn = false;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& earlier : claims_) {
      if (!conflict(earlier->resources, claim->resources)) continue;
      earlier->waiting.push_back(claim);
      ++claim->blockers;
    }
    claim->position = claims_.insert(claims_.end(), claim);
    has_turn = claim->blockers == 0;
  }
  if (has_turn) claim->on_turn();
  return {this, claim};
}

void ResourceQueue::leave(const std::shared_ptr<Claim>& claim) {
  std::vector<std::shared_ptr<Claim>> next;
  {
    const std::lock_guard lock(mutex_);
    claims_.erase(claim->position);
    claim->left = true;
    for (const auto& waiting : claim->waiting)
      if (--waiting->blockers == 0 && !waiting->left) next.push_back(waiting);
    claim->waiting.clear();
  }
  for (const auto& waiting : next) waiting->on_turn();
}

}  // namespace helve::core
