// Writes the audit records of a call: one before it runs and one after.
#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "core/active_call.h"
#include "core/audit.h"
#include "core/engines.h"

namespace helve::core {

// Owned by the dispatcher. May be used from all threads.
class CallRecords {
 public:
  // `audit` is null when it is switched off; then nothing is recorded.
  CallRecords(Audit* audit, Engines& engines) : audit_(audit), engines_(engines) {}

  [[nodiscard]] Expected<void> add_intent(const ActiveCall& active) const;
  // Before a dry run that shows the user what the call would do.
  [[nodiscard]] Expected<void> add_look_ahead(const ActiveCall& active) const;
  // A failure is only logged, because the call has already happened.
  void add_result(const ActiveCall& active, const Answer& answer, std::string_view outcome) const;

 private:
  ObjectText& add_plan(ObjectText& entry, const ActiveCall& active, std::string_view kind,
                       Effect effect) const;
  [[nodiscard]] Expected<void> add(Effect effect, std::string_view entry) const;

  Audit* const audit_;
  Engines& engines_;
};

}  // namespace helve::core
