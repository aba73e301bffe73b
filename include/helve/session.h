// One client's run: its events, its permissions, its output files.
#pragma once

#include <memory>
#include <string>

#include "helve/events.h"
#include "helve/permissions.h"

namespace helve {

// Shared by the door that opened it and the calls that run in it. May be used from all threads.
class Session {
 public:
  struct Parts {
    std::string id;
    std::string output_directory;  // where long results go; made when first needed
    Mode mode = Mode::kAsk;
    std::shared_ptr<const Permissions> permissions;
    std::shared_ptr<Approver> approver;  // null when there is nobody to ask
  };

  explicit Session(Parts parts) : parts_(std::move(parts)), events_(parts_.id) {}

  [[nodiscard]] const std::string& id() const { return parts_.id; }
  [[nodiscard]] const std::string& output_directory() const { return parts_.output_directory; }
  [[nodiscard]] Mode mode() const { return parts_.mode; }
  [[nodiscard]] const Permissions& permissions() const { return *parts_.permissions; }
  [[nodiscard]] Approver* approver() const { return parts_.approver.get(); }
  [[nodiscard]] EventStream& events() { return events_; }

 private:
  const Parts parts_;
  EventStream events_;
};

}  // namespace helve
