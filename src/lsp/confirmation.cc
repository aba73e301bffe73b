#include "lsp/confirmation.h"

#include <algorithm>
#include <iterator>

#include "base/file_io.h"
#include "base/strings.h"

namespace helve::lsp {
namespace {

constexpr std::size_t kMostOpenBytes = std::size_t{8} << 20;
constexpr std::size_t kMostAsked = 300;       // definitions, for one question
constexpr std::size_t kMostOtherServers = 3;  // for files of other projects

// Declarations that are written apart from the code: library.d.ts, library.pyi.
std::string_view stub_stem(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view ending : {".d.ts", ".d.mts", ".d.cts", ".pyi"})
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return {};
}

std::string_view stem_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

bool touches(const Range& one, const Range& other) {
  return one.start <= other.end && other.start <= one.end;
}

}  // namespace

std::string_view to_string(Unconfirmed::Reason reason) {
  switch (reason) {
    case Unconfirmed::Reason::kSameSymbol: return "the same symbol";
    case Unconfirmed::Reason::kRelated: return "a related class";
    case Unconfirmed::Reason::kUnknown: return "unknown";
  }
  return "unknown";
}

Confirmation::Confirmation(Servers& servers, Server& server, std::string name, Mentions mentions)
    : servers_(servers),
      server_(server),
      name_(std::move(name)),
      mentions_(std::move(mentions)),
      relatives_(server) {}

bool Confirmation::belongs_here(const std::string& path) const {
  return server_.spec().serves(path) &&
         (server_.spec().knows_all_projects ||
          find_project_root(server_.spec(), server_.workspace(), path) == server_.project_root());
}

std::size_t Confirmation::open_files(const WaitLimit& limit) {
  std::vector<std::string> paths;
  std::size_t bytes = 0;
  for (const MentioningFile& file : mentions_.files) {
    if (file.in_code.empty() || !belongs_here(file.path)) continue;
    bytes += file.text->size();
    if (paths.size() >= server_.spec().most_opened || bytes > kMostOpenBytes) break;
    paths.push_back(file.path);
  }
  const auto documents = server_.prepare_all(paths, limit);
  if (!documents) return 0;
  for (const Document& document : *documents) opened_.insert(document.path);
  return documents->size();
}

// The server of a file of another project; null if there is none.
std::shared_ptr<Server> Confirmation::server_of(const std::string& path, const WaitLimit& limit) {
  const std::string root = find_project_root(server_.spec(), server_.workspace(), path);
  if (const auto known = others_.find(root); known != others_.end()) return known->second;
  if (others_.size() >= kMostOtherServers || !server_.spec().serves(path)) return nullptr;
  auto server = servers_.server_for(path, limit);
  const bool fits = server && (*server)->spec().name == server_.spec().name && (*server)->wait_ready(limit);
  return others_[root] = fits ? *std::move(server) : nullptr;
}

// Nothing if the server cannot be asked.
std::optional<std::vector<Location>> Confirmation::definitions_of(const std::string& path,
                                                                  const Position& position,
                                                                  const WaitLimit& limit) {
  if (limit.is_over() || ++asked_ > kMostAsked) return std::nullopt;
  std::shared_ptr<Server> other;
  Server* server = &server_;
  if (!belongs_here(path)) {
    other = server_of(path, limit);
    server = other.get();
    if (server == nullptr || !server->prepare(path, limit)) return std::nullopt;
  } else if (!opened_.contains(path)) {
    if (!server->prepare(path, limit)) return std::nullopt;
    opened_.insert(path);
  }
  auto found = server->definitions(path, position, limit);
  if (!found) return std::nullopt;
  return *std::move(found);
}

bool Confirmation::is_name_at(const Location& place) const {
  const auto file = read_file_text(server_.workspace(), place.path);
  if (!file) return false;
  const std::size_t at = LineTable(file->text).offset_of(place.range.start, server_.unit());
  return std::string_view(file->text).substr(at).starts_with(name_);
}

// Whether the definition may be a second description of the symbol: built from its source, or a stub.
bool Confirmation::may_be_a_copy(const Location& definition, const Known& known) const {
  const std::string& workspace = server_.workspace().path();
  if (!is_within(definition.path, workspace)) return false;
  if (mentions_.find(definition.path) == nullptr) {
    // It is not searched, because it is ignored.
    if (definition.path.contains("/node_modules/") || definition.path.contains("/site-packages/"))
      return false;
    return is_name_at(definition);
  }
  const std::string_view stub = stub_stem(definition.path);
  return std::ranges::any_of(known.own, [&](const Place& own) {
    if (own.first == definition.path) return false;
    if (!stub.empty()) return stem_of(own.first) == stub;
    const std::string_view own_stub = stub_stem(own.first);
    return !own_stub.empty() && own_stub == stem_of(definition.path);
  });
}

Confirmation::Verdict Confirmation::judge(const std::string& path, const Position& position,
                                          const Known& known, const WaitLimit& limit) {
  const auto definitions = definitions_of(path, position, limit);
  if (!definitions || definitions->empty()) return Verdict::kUnknown;
  const auto is_in = [](const std::set<Place>& places) {
    return [&](const Location& each) { return places.contains({each.path, each.range.start}); };
  };
  if (std::ranges::any_of(*definitions, is_in(known.kept))) return Verdict::kKept;
  if (std::ranges::any_of(*definitions, is_in(known.own))) return Verdict::kSame;
  const bool copy =
      std::ranges::any_of(*definitions, [&](const Location& each) { return may_be_a_copy(each, known); });
  return copy ? Verdict::kUnknown : Verdict::kOther;
}

Confirmation::Known Confirmation::known_from(const Reported& reported) {
  Known known;
  for (const Location& place : reported.kept) known.kept.emplace(place.path, place.range.start);
  for (const Location& place : reported.places) {
    known.covered[place.path].push_back(place.range);
    if (!known.kept.contains({place.path, place.range.start}))
      known.own.emplace(place.path, place.range.start);
  }
  // If names are kept, only an alias of the symbol may have been renamed.
  if (reported.kept.empty())
    for (const Location& place : reported.definitions) known.own.emplace(place.path, place.range.start);
  return known;
}

std::vector<Unconfirmed> Confirmation::compare(const Reported& reported, const WaitLimit& limit) {
  const Known known = known_from(reported);
  settled_.clear();
  asked_ = 0;
  std::vector<Unconfirmed> found;
  for (const MentioningFile& file : mentions_.files) {
    const LineTable lines(*file.text);
    const auto covered = known.covered.find(file.path);
    // The old name stays valid here, also after an import from a file that still offers it.
    bool keeps_name = reported.exports_alias || reported.with_alias.contains(file.path);
    for (const std::size_t offset : file.in_code) {
      const Range range{lines.position_of(offset, server_.unit()),
                        lines.position_of(offset + name_.size(), server_.unit())};
      if (covered != known.covered.end() &&
          std::ranges::any_of(covered->second, [&](const Range& each) { return touches(each, range); }))
        continue;
      Verdict verdict = judge(file.path, range.start, known, limit);
      keeps_name = keeps_name || verdict == Verdict::kKept;
      if (verdict == Verdict::kSame && keeps_name) verdict = Verdict::kKept;
      if (verdict == Verdict::kOther || verdict == Verdict::kKept)
        settled_.emplace(file.path, range.start);
      else
        found.push_back(
            {{file.path, range},
             verdict == Verdict::kSame ? Unconfirmed::Reason::kSameSymbol : Unconfirmed::Reason::kUnknown});
    }
  }
  return found;
}

std::vector<std::string> Confirmation::owners(const Reported& reported, const WaitLimit& limit) {
  std::vector<std::string> names;
  const auto add = [&](const Location& place) {
    const std::string name = relatives_.owner_of(place, name_, limit);
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  std::ranges::for_each(reported.definitions, add);
  // If the symbol is a member, so may be others that have to fit it.
  if (!names.empty())
    for (const auto& [path, position] : settled_) add({path, {position, position}});
  return names;
}

std::vector<Unconfirmed> Confirmation::compare_rename(const Reported& reported, const WaitLimit& limit) {
  std::vector<Unconfirmed> found = compare(reported, limit);
  if (server_.spec().overrides == Overrides::kRenamed) return found;
  const Known known = known_from(reported);
  std::set<Place> listed;
  for (const Unconfirmed& each : found) listed.emplace(each.place.path, each.place.range.start);
  const auto add = [&](const Location& place) {
    if (known.own.contains({place.path, place.range.start}) || mentions_.find(place.path) == nullptr ||
        !listed.emplace(place.path, place.range.start).second || !is_name_at(place))
      return;
    found.push_back({place, Unconfirmed::Reason::kRelated});
  };
  // A use of one of two types has two definitions, and both need the new name.
  for (const Location& place : reported.places)
    if (const auto definitions = definitions_of(place.path, place.range.start, limit);
        definitions && definitions->size() > 1)
      std::ranges::for_each(*definitions, add);
  // Methods of related classes. A definition outside of its class does not show the class; the declaration
  // does.
  std::vector<Location> members = reported.definitions;
  std::ranges::copy_if(reported.places, std::back_inserter(members), [&](const Location& place) {
    return !relatives_.owner_of(place, name_, limit).empty();
  });
  for (const Place& settled : settled_) {
    const Location place{settled.first, {settled.second, settled.second}};
    if (std::ranges::any_of(
            members, [&](const Location& member) { return relatives_.are_related(member, place, limit); }))
      add(place);
  }
  return found;
}

}  // namespace helve::lsp
