// Compares what a server reports about a symbol with every place that mentions its name.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lsp/mentions.h"
#include "lsp/relatives.h"
#include "lsp/servers.h"

namespace helve::lsp {

// A place in code that has the name of the symbol, and that is neither reported nor known to be another
// symbol. The numbers order the reasons by weight.
struct Unconfirmed {
  enum class Reason {
    kSameSymbol,  // the server says that it is this symbol
    kRelated,     // a method of a related class
    kUnknown,     // the server does not know what it is
  };
  Location place;  // in the server's columns
  Reason reason = Reason::kUnknown;
};
[[nodiscard]] std::string_view to_string(Unconfirmed::Reason reason);

// The places that the server reported, in its columns.
struct Reported {
  std::vector<Location> places = {};
  // Those whose new text keeps the name, as `{name}` becomes `{name: other}`.
  std::vector<Location> kept = {};
  // Files in which the name stays valid, as `const {name} = …` becomes `const {other: name} = …`.
  std::set<std::string> with_alias = {};
  bool exports_alias = false;  // `export {other as name}`: the name stays valid in other files
  // The definitions of the symbol. May be empty.
  std::vector<Location> definitions = {};
};

// For one question about one name. The servers must outlive it.
class Confirmation {
 public:
  Confirmation(Servers& servers, Server& server, std::string name, Mentions mentions);

  // Opens the files that mention the name in code and belong to the server's project. Returns their number.
  std::size_t open_files(const WaitLimit& limit);
  // Opens files as necessary. Empty if every mention is reported or known to be another symbol.
  [[nodiscard]] std::vector<Unconfirmed> compare(const Reported& reported, const WaitLimit& limit);
  // The same for a rename, which also has to reach the other definitions of what it changes.
  [[nodiscard]] std::vector<Unconfirmed> compare_rename(const Reported& reported, const WaitLimit& limit);
  [[nodiscard]] const Mentions& mentions() const { return mentions_; }
  // The names of the classes that have a member of this name, which the rename may change or not.
  [[nodiscard]] std::vector<std::string> owners(const Reported& reported, const WaitLimit& limit);

 private:
  using Place = std::pair<std::string, Position>;
  struct Known {
    std::set<Place> own;
    std::set<Place> kept;
    std::map<std::string, std::vector<Range>> covered;
  };
  enum class Verdict { kOther, kKept, kSame, kUnknown };

  [[nodiscard]] static Known known_from(const Reported& reported);
  [[nodiscard]] bool belongs_here(const std::string& path) const;
  std::shared_ptr<Server> server_of(const std::string& path, const WaitLimit& limit);
  std::optional<std::vector<Location>> definitions_of(const std::string& path, const Position& position,
                                                      const WaitLimit& limit);
  Verdict judge(const std::string& path, const Position& position, const Known& known,
                const WaitLimit& limit);
  [[nodiscard]] bool may_be_a_copy(const Location& definition, const Known& known) const;
  [[nodiscard]] bool is_name_at(const Location& place) const;

  Servers& servers_;
  Server& server_;
  const std::string name_;
  const Mentions mentions_;
  std::set<std::string> opened_;                           // in server_
  std::set<Place> settled_;                                // known to be other symbols
  std::map<std::string, std::shared_ptr<Server>> others_;  // by path of a file; null if there is none
  std::size_t asked_ = 0;
  Relatives relatives_;
};

}  // namespace helve::lsp
