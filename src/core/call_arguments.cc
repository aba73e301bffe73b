#include "core/call_arguments.h"

#include <algorithm>

#include "base/json_parse.h"
#include "base/redact.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "settings/foreign_schema.h"

namespace helve::core {

namespace {

std::vector<Complaint> check_foreign(const settings::JsonSchema& schema, Json& arguments) {
  // The arguments of every tool are an object, whatever its schema says.
  if (!arguments.is_object()) return validate(ParamType::of(ParamType::Kind::kObject), arguments);
  if (schema.check(arguments).empty()) return {};
  schema.fill_in_defaults(arguments);
  return schema.check(arguments);
}

}  // namespace

Expected<AcceptedArguments> accept_arguments(const RegisteredTool& tool, Json arguments,
                                             bool explanation_required) {
  const ToolDefinition& definition = tool.definition;
  // Text that a model wrote in place of JSON arrives as a string; the error says what is wrong with it.
  if (arguments.is_string())
    if (const auto parsed = parse_json(arguments.as_string()); !parsed)
      return fail(
          ErrorCode::kInvalidArgument,
          concat("The arguments of ", definition.name, " are not valid JSON: ", parsed.error().message),
          "Nothing was run. Make the call again with one JSON object as its arguments.");
  AcceptedArguments accepted;
  std::vector<Complaint> complaints;
  const bool foreign = tool.arguments != nullptr;
  const bool takes_explanation = std::ranges::any_of(
      definition.params.members, [](const Param& param) { return param.name == "explanation"; });
  const Json* explanation = arguments.find("explanation");
  const bool is_text = explanation != nullptr && explanation->is_string();
  const bool is_blank = is_text && trim(explanation->as_string()).empty();
  if (is_text && !is_blank) accepted.explanation = explanation->as_string();
  // The server of a foreign tool need not know about explanations.
  const bool is_removed = foreign && !takes_explanation;
  if (is_removed && arguments.is_object()) arguments.as_object().erase("explanation");
  // The validation reports a missing explanation of Helve's own tools, but accepts a blank one.
  if (explanation_required && (is_removed ? accepted.explanation.empty() : is_blank && !foreign))
    complaints.push_back({"explanation", "is missing; say why you make this call"});
  for (Complaint& complaint :
       foreign ? check_foreign(tool.arguments->get(), arguments) : validate(definition.params, arguments))
    complaints.push_back(std::move(complaint));
  if (!complaints.empty()) return fail(invalid_arguments(definition.name, complaints));
  if (const Json* dry_run = arguments.find("dryRun");
      definition.dry_runs && dry_run != nullptr && dry_run->is_bool())
    accepted.dry_run = dry_run->as_bool();
  accepted.own = std::move(arguments);
  return accepted;
}

std::string recorded_arguments(const ToolDefinition& definition, const Json& arguments) {
  constexpr std::size_t kLongestString = 500;
  constexpr std::size_t kLongestRecord = 20'000;
  Json recorded = redact_json(arguments, kLongestString);
  if (recorded.is_object()) recorded.as_object().erase("explanation");  // recorded separately
  for (const std::string& name : definition.unrecorded)
    if (const Json* value = arguments.find(name); value != nullptr && value->is_string())
      recorded[name] = concat("(", count_of(value->as_string().size(), "byte"), ")");
  std::string text = to_text(recorded);
  if (text.size() <= kLongestRecord) return text;
  return to_text(
      Json(concat("(", with_thousands(text.size()), " bytes) ", utf8_prefix(text, kLongestRecord))));
}

}  // namespace helve::core
