// Tells whether two methods of one name belong to related classes, where servers do not.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "code/symbol.h"
#include "lsp/protocol.h"
#include "lsp/server.h"

namespace helve::lsp {

// For one question. Reads the classes by their syntax and asks the server which class a base is. The server
// must outlive it.
class Relatives {
 public:
  explicit Relatives(Server& server) : server_(server) {}

  // Whether a class of one method inherits from that of the other, both override a method of a common base,
  // or one is a protocol, which any class may implement. The locations are of the names of definitions.
  [[nodiscard]] bool are_related(const Location& one, const Location& other, const WaitLimit& limit);
  // The name of the class whose member of this name is defined there; empty if none is.
  [[nodiscard]] std::string owner_of(const Location& member, std::string_view name, const WaitLimit& limit);

 private:
  struct File {
    std::string text;
    std::vector<code::Symbol> symbols;
  };
  struct Class {
    std::string path;
    std::size_t symbol = 0;  // index in the file
    auto operator<=>(const Class&) const = default;
  };
  struct Family {
    std::vector<Class> classes = {};  // it and its bases, as far as the workspace defines them
    bool has_protocol = false;
  };
  const File* file_of(const std::string& path, const WaitLimit& limit);
  std::optional<Class> class_of(const Location& method, const WaitLimit& limit);
  std::optional<Class> find_base(const Class& derived, const std::string& base, const WaitLimit& limit);
  Family family_of(const Class& start, const WaitLimit& limit);
  bool defines(const Class& each, std::string_view name, const WaitLimit& limit);

  Server& server_;
  std::map<std::string, File> files_;
};

}  // namespace helve::lsp
