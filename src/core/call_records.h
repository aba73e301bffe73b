// What the audit is told of a call: what is about to happen, and how it ended.
#pragma once

#include <string>
#include <string_view>

#include "base/object_text.h"
#include "core/audit.h"
#include "core/engines.h"
#include "core/passage.h"

namespace helve {

// Owned by the dispatcher. May be used from all threads.
class CallRecords {
 public:
  // `audit` is null when it is switched off; then nothing is recorded.
  CallRecords(Audit* audit, Engines& engines) : audit_(audit), engines_(engines) {}

  [[nodiscard]] Expected<void> add_intent(const Passage& passage) const;
  // Before a dry run that shows a person what the call would do.
  [[nodiscard]] Expected<void> add_look_ahead(const Passage& passage, const Json& arguments) const;
  // A failure is logged: what has happened cannot be taken back.
  void add_result(const Passage& passage, const Answer& answer, std::string_view outcome) const;

 private:
  struct Plan {
    std::string_view kind;
    Effect effect;
    const Json& arguments;
  };
  ObjectText& add_plan(ObjectText& entry, const Passage& passage, const Plan& plan) const;
  [[nodiscard]] Expected<void> add(Effect effect, std::string_view entry) const;

  Audit* const audit_;
  Engines& engines_;
};

}  // namespace helve
