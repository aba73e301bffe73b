#include "shell/shell_options.h"

#include "shell/options.h"

namespace helve::shell {

// Not among them: a (exports assignments), i (start-up files), k (assignments anywhere), p (keeps
// privileges).
bool is_safe_shell_letter(char letter) { return std::string_view("befhmntuvxBCET").contains(letter); }

bool is_safe_shell_option(std::string_view name) {
  return lists(
      "braceexpand errexit errtrace functrace monitor noclobber noexec noglob nounset notify pipefail "
      "verbose xtrace",
      name);
}

// Not among them: expand_aliases and extglob, with which the same text is another command.
bool is_safe_shopt(std::string_view name) {
  return lists("dotglob failglob globstar inherit_errexit lastpipe nocaseglob nocasematch nullglob", name);
}

}  // namespace helve::shell
