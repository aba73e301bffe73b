// The text of a JSON object, written member by member: for records that are made often and only to be
// written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helve/json.h"

namespace helve {

// Keys are written as they are: names in the code, without quotes or the like.
class ObjectText {
 public:
  ObjectText();

  ObjectText& add(std::string_view key, std::string_view value);
  ObjectText& add(std::string_view key, std::int64_t value);
  ObjectText& add_json(std::string_view key, const Json& value);
  // The whole object; nothing can be added afterwards.
  [[nodiscard]] std::string take();

 private:
  void begin(std::string_view key);

  std::string out_;
};

}  // namespace helve
