#include "shell/runners.h"

#include <algorithm>

#include "shell/names.h"
#include "shell/options.h"

namespace helve::shell {
namespace {

struct RunnerRow {
  std::string_view programs;
  std::string_view subcommands = {};  // empty: the command follows the program
  bool elsewhere = false;
  bool several = false;
};

constexpr RunnerRow kRunners[] = {
    {.programs = "npx pnpx bunx uvx pipx rtx nyc c8 cross-env cross-env-shell env-cmd "
                 "faketime eatmydata choom "
                 "cpulimit dumb-init tini gosu su-exec setuidgid envdir xvfb-run chronic ifne "
                 "daemonize nq tsp "
                 "watchman-make systemd-inhibit systemd-cat keychain rr heaptrack uftrace "
                 "pseudo cset schedtool "
                 "dtach abduco logsave sshpass i386 x86_64 uname26 ssh-agent gpg-agent capsh "
                 "foreman honcho "
                 "xinit benchexec rerun reflex air cargo-watch catchsegv"},
    {.programs =
         "hyperfine mispipe pee concurrently multitime watchexec nodemon npm-run-all run-s run-p dotenv "
         "dotenvx sem",
     .several = true},
    {.programs = "npm pnpm", .subcommands = "exec x dlx"},
    {.programs = "yarn", .subcommands = "exec dlx run"},
    {.programs = "bun", .subcommands = "x"},
    {.programs = "uv", .subcommands = "run tool"},
    {.programs = "poetry pipenv pdm hatch rye pixi", .subcommands = "run"},
    {.programs = "conda mamba micromamba", .subcommands = "run"},
    {.programs = "bundle bundler rbenv pyenv nodenv asdf direnv", .subcommands = "exec"},
    {.programs = "mise", .subcommands = "exec x"},
    {.programs = "nix", .subcommands = "run develop shell"},
    {.programs = "guix", .subcommands = "shell environment"},
    {.programs = "op doppler infisical", .subcommands = "run"},
    {.programs = "aws-vault", .subcommands = "exec"},
    {.programs = "git", .subcommands = "bisect submodule rebase filter-branch"},
    {.programs = "cargo", .subcommands = "watch", .several = true},
    {.programs = "go", .subcommands = "tool"},
    {.programs = "meson", .subcommands = "devenv"},
    {.programs = "nx lerna rush", .subcommands = "exec"},
    {.programs = "flatpak snap", .subcommands = "run"},
    {.programs = "jj", .subcommands = "util", .several = true},
    {.programs = "gh", .subcommands = "alias", .several = true},
    {.programs = "firebase", .subcommands = "emulators:exec"},
    {.programs = "docker podman nerdctl", .subcommands = "run exec create ssh", .elsewhere = true},
    {.programs = "heroku", .subcommands = "run", .elsewhere = true},
    {.programs = "fly flyctl gcloud vagrant", .subcommands = "ssh", .elsewhere = true},
    {.programs = "aws", .subcommands = "ssm ecs", .elsewhere = true},
    {.programs = "az", .subcommands = "run-command ssh", .elsewhere = true},
    {.programs = "lxc incus crictl ctr", .subcommands = "exec task run", .elsewhere = true},
    {.programs = "podman buildah", .subcommands = "unshare run"},
    {.programs = "kubectl oc", .subcommands = "exec run debug rsh", .elsewhere = true},
    {.programs = "docker-compose", .subcommands = "run exec", .elsewhere = true},
    {.programs = "ssh mosh", .elsewhere = true},
};

}  // namespace

std::optional<RunnerPlace> find_runner(std::span<const Word> words) {
  if (words.empty() || !words.front().literal) return std::nullopt;
  const std::string_view program = program_name(words.front().text);
  if (program.starts_with("python") && words.size() > 1 && words[1] == Word{.text = "-m"})
    return RunnerPlace{.command = 2};
  for (const RunnerRow& row : kRunners) {
    if (!lists(row.programs, program)) continue;
    if (row.subcommands.empty())
      return RunnerPlace{.command = 1, .elsewhere = row.elsewhere, .several = row.several};
    for (std::size_t i = 1; i < words.size(); ++i)
      if (words[i].literal && lists(row.subcommands, words[i].text))
        return RunnerPlace{.command = i + 1, .elsewhere = row.elsewhere, .several = row.several};
  }
  return std::nullopt;
}

}  // namespace helve::shell
