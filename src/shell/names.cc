#include "shell/names.h"

#include <algorithm>

#include "base/ascii.h"

namespace helve::shell {
namespace {

constexpr std::string_view kReserved[] = {"!",   "{",      "}",        "if",   "then", "else",  "elif",
                                          "fi",  "do",     "done",     "case", "esac", "while", "until",
                                          "for", "select", "function", "[[",   "]]"};
constexpr std::string_view kReservedInZsh[] = {"-",         "always", "end",   "foreach",
                                               "nocorrect", "noglob", "repeat"};

// A leading or closing * matches any text.
constexpr std::string_view kRisky[] = {
    // shells
    "PATH", "IFS", "ENV", "BASH_*", "BASHOPTS", "SHELLOPTS", "SHELL", "CDPATH", "PS0", "PS1", "PS2", "PS3",
    "PS4", "PROMPT*", "RPROMPT*", "ZDOTDIR", "FPATH", "fpath", "path", "cdpath", "module_path", "HOME",
    "FCEDIT", "INPUTRC", "EXECIGNORE", "GLOBIGNORE", "POSIXLY_CORRECT", "OPTIND", "HISTFILE", "KSH_ENV",
    "NULLCMD", "READNULLCMD",
    // the loader and the C library
    "LD_*", "DYLD_*", "GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH", "MALLOC_*", "HOSTALIASES",
    "RESOLV_*", "TERMINFO*", "TERMCAP",
    // editors, pagers, helpers
    "EDITOR", "VISUAL", "PAGER", "*_EDITOR", "*_PAGER", "MANPAGER", "MANOPT", "MANROFFOPT", "MANPATH",
    "LESS*", "BROWSER", "*_ASKPASS", "VIMINIT", "EXINIT", "GVIMINIT", "VIMRUNTIME", "EMACSLOADPATH", "SUDO_*",
    // programs
    "GIT_*", "SSH_*", "RSYNC_*", "CVS_RSH", "SVN_*", "HGRCPATH", "HG*", "TAR_OPTIONS", "GZIP", "XZ_*",
    "ZSTD_*", "GREP_OPTIONS", "RIPGREP_CONFIG_PATH", "FZF_*", "BAT_*", "CURL_HOME", "WGETRC", "NETRC",
    "OPENSSL_*", "SSLKEYLOGFILE", "KUBECONFIG", "DOCKER_*", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
    "PSQLRC", "PGSERVICEFILE", "PARALLEL*", "DIFF_OPTIONS", "GDBINIT", "XDG_CONFIG_*", "XDG_DATA_*",
    "SYSTEMD_*", "DEBUGINFOD_*", "CVSEDITOR", "PGPAGER", "TEXEDIT", "CONFIG_SHELL", "MAKESHELL",
    // names that tell of a program
    "*_COMMAND", "*_CMD", "*_PROGRAM", "*_PROG", "*_RUNNER", "*_WRAPPER", "*_LAUNCHER", "*_HOOK", "*_BROWSER",
    "*_SHELL", "*_EXEC", "*_COMPILER", "*_LINKER", "*_RSH", "*_CC", "*_CXX", "*_LD", "HOSTCC", "HOSTCXX",
    "MAKE", "LEX", "YACC", "FLEX", "BISON", "RANLIB", "OBJCOPY", "INSTALL", "AUTOCONF", "AUTOMAKE", "F77",
    "OBJC", "CCLD",
    // languages and build tools
    "PERL5*", "PERLLIB", "PERL_*", "PYTHON*", "NODE_OPTIONS", "NODE_PATH", "NODE_REPL_*", "RUBY*", "GEM_*",
    "BUNDLE_*", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS", "JAVA_HOME",
    "CLASSPATH", "MAVEN_*", "GRADLE_*", "LUA_*", "PHPRC", "PHP_INI_SCAN_DIR", "R_PROFILE*", "R_ENVIRON*",
    "JULIA_*", "ERL_*", "ELIXIR_*", "DOTNET_*", "CORECLR_*", "COR_*", "MONO_*", "MAKEFLAGS", "MAKEFILES",
    "MFLAGS", "GNUMAKEFLAGS", "CC", "CXX", "CPP", "AR", "LD", "AS", "NM", "STRIP", "FC", "CFLAGS", "CXXFLAGS",
    "CPPFLAGS", "LDFLAGS", "GCC_*", "COMPILER_PATH", "CMAKE_*", "CCACHE_*", "RUSTC*", "RUSTDOC*", "RUSTFLAGS",
    "RUSTUP_*", "CARGO_*", "GOFLAGS", "GOPROXY", "GOROOT", "GOPATH", "GOENV", "GOTOOLCHAIN", "npm_config_*",
    "NPM_CONFIG_*", "YARN_*", "PNPM_*", "COREPACK_*", "PIP_*", "UV_*", "PIPX_*", "POETRY_*", "CONDA_*",
    "PKG_CONFIG*", "ACLOCAL_PATH", "AWKPATH", "AWKLIBPATH", "GTK_*", "QT_*", "GIO_*"};

constexpr std::string_view kHarmless[] = {"PYTHONUNBUFFERED",
                                          "PYTHONDONTWRITEBYTECODE",
                                          "PYTHONHASHSEED",
                                          "PYTHONIOENCODING",
                                          "PYTHONUTF8",
                                          "PYTHONFAULTHANDLER",
                                          "CARGO_TERM_COLOR",
                                          "GIT_TERMINAL_PROMPT",
                                          "GIT_OPTIONAL_LOCKS",
                                          "GIT_AUTHOR_NAME",
                                          "GIT_AUTHOR_EMAIL",
                                          "GIT_AUTHOR_DATE",
                                          "GIT_COMMITTER_NAME",
                                          "GIT_COMMITTER_EMAIL",
                                          "GIT_COMMITTER_DATE",
                                          "DOTNET_NOLOGO",
                                          "DOTNET_CLI_TELEMETRY_OPTOUT",
                                          "PIP_DISABLE_PIP_VERSION_CHECK",
                                          "LESSCHARSET"};

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.starts_with('*')) return name.ends_with(pattern.substr(1));
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

bool is_identifier(std::string_view name) {
  return !name.empty() && !is_digit(name[0]) &&
         std::ranges::all_of(name, [](char byte) { return is_letter_or_digit(byte) || byte == '_'; });
}

}  // namespace

std::string_view program_name(std::string_view program) { return program.substr(program.rfind('/') + 1); }

bool is_reserved_word(std::string_view word, Dialect dialect) {
  return std::ranges::find(kReserved, word) != std::end(kReserved) ||
         (dialect == Dialect::kZsh && std::ranges::find(kReservedInZsh, word) != std::end(kReservedInZsh));
}

bool is_risky_variable(std::string_view name) {
  if (!is_identifier(name)) return true;  // BASH_FUNC_ls%% defines a function
  if (std::ranges::find(kHarmless, name) != std::end(kHarmless)) return false;
  return std::ranges::any_of(kRisky, [&](std::string_view pattern) { return matches(pattern, name); });
}

bool is_risky_assignment(const Assignment& assignment) {
  if (!is_risky_variable(assignment.name)) return false;
  const std::string_view name = assignment.name;
  const std::string_view value = assignment.value.text;
  const bool asks =
      name.ends_with("PAGER") || name.ends_with("EDITOR") || name == "VISUAL" || name.ends_with("_ASKPASS");
  return !(asks && assignment.value.literal &&
           (value == "cat" || value == "true" || value == ":" || value.empty()));
}

}  // namespace helve::shell
