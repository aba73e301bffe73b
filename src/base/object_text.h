// The text of a JSON object, written member by member: for records that are made often and only to be
// written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "helve/json.h"

namespace helve {

// Keys are written as they are: names in the code, without quotes or the like.
class ObjectText {
 public:
  ObjectText();
  ObjectText(const ObjectText&) = delete;
  ObjectText& operator=(const ObjectText&) = delete;

  ObjectText& add(std::string_view key, std::string_view value);
  ObjectText& add(std::string_view key, std::int64_t value);
  ObjectText& add_json(std::string_view key, const Json& value);
  // A value that is written already.
  ObjectText& add_written(std::string_view key, std::string_view json);
  // The whole object; nothing can be added afterwards.
  [[nodiscard]] std::string take();

 private:
  static std::string& reserved(std::string& out);
  void begin(std::string_view key);

  std::string out_;
  JsonWriter writer_;  // into out_
  bool is_empty_ = true;
};

}  // namespace helve
