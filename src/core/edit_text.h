// Exact replacements in one file, as the tools edit and multi_edit make them.
#pragma once

#include <string>
#include <vector>

#include "helve/context.h"
#include "helve/params.h"
#include "helve/result.h"

namespace helve {

struct TextReplacement {
  std::string old_text;
  std::string new_text;
  bool replace_all = false;

  void describe(ParamSpec& p) {
    p.required("oldText", old_text, "Text to replace, exactly as it is in the file.");
    p.required("newText", new_text, "Text to put in its place.");
    p.optional("replaceAll", replace_all, "Replace it everywhere.");
  }
};

struct TextEdit {
  std::string tool;
  std::string path;
  std::vector<TextReplacement> replacements;  // in order, each seeing the ones before
  bool first_only = false;                    // of several matches
};

// All or nothing. When somebody changes the file meanwhile, the edit is tried again on the new text, and says
// so.
[[nodiscard]] Result edit_text(Context& context, const TextEdit& edit);

}  // namespace helve
