// Exports a session as Markdown or JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/entries.h"
#include "store/session_records.h"

namespace helve::agent {

[[nodiscard]] std::string to_markdown(const store::SessionRecord& record, std::span<const Entry> entries);
// {id, title, workspace, model, created, updated, usage, steps: [{kind, …}]}
[[nodiscard]] Json to_export_json(const store::SessionRecord& record, std::span<const Entry> entries);

}  // namespace helve::agent
