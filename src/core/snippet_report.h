// What the tools and commands about snippets have in common: languages, and how snippets are shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"
#include "helve/tool.h"
#include "store/snippets.h"
#include "workspace/change_report.h"

namespace helve {

// The language that a snippet without one is in, as far as a fence, a first line or an extension in its name
// tell; otherwise empty.
[[nodiscard]] std::string guess_language(std::string_view name, std::string_view code);
// All the names of a language that people may have given to a snippet: py, python and Python for any of them.
[[nodiscard]] std::vector<std::string> language_names(std::string_view given);
// The id under which workspace/language.h knows it; what was given when it does not.
[[nodiscard]] std::string language_id(std::string_view given);
// What the name of a file with such code ends in, with the dot; ".txt" when it is not known.
[[nodiscard]] std::string extension_of(std::string_view language);

[[nodiscard]] Json to_json(const store::Snippet& snippet);
[[nodiscard]] Json to_json(const store::SnippetEntry& entry);

// "python, 12 lines"
[[nodiscard]] std::string describe_code(std::string_view language, std::size_t lines);
// name  (python, 12 lines)  What it is for  #tag #tag
[[nodiscard]] std::string describe_entry(const store::SnippetEntry& entry);

// What becomes of its code; one without a name is not there.
[[nodiscard]] ChangeReport change_of_snippet(const store::Snippet& before, const store::Snippet& after);

// What becomes of the rest, in words.
[[nodiscard]] JsonArray notes_on_snippet(const store::Snippet& before, const store::Snippet& after);

// Calls about snippets wait for each other, and for nothing else.
[[nodiscard]] std::vector<Resource> snippet_resources(Resource::Use use);

}  // namespace helve
