#include "cli/serve_token.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/clock.h"
#include "base/directory_lock.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "core/directories.h"

namespace helve::cli {

Expected<ServeToken> serve_token() {
  const auto state = default_state_directory();
  if (!state) return fail(state.error());
  if (auto made = make_private_directories(*state); !made) return fail(made.error());
  // Whoever comes second finds the token of the first, whole.
  const auto lock = lock_directory(*state);
  if (!lock) return fail(lock.error());
  ServeToken token{.path = concat(*state, "/serve-token")};
  const UniqueFd made(::open(token.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (made) {
    token.text = random_id("helve", 32);
    token.is_new = true;
    if (auto written = write_all(made.get(), concat(token.text, "\n")); !written) {
      ::unlink(token.path.c_str());
      return fail(written.error());
    }
    return token;
  }
  if (errno != EEXIST) return fail(system_error(concat("Cannot create ", token.path), errno));
  const UniqueFd kept(::open(token.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (!kept || ::fstat(kept.get(), &status) != 0)
    return fail(system_error(concat("Cannot read ", token.path), errno));
  if ((status.st_mode & 077) != 0 || status.st_uid != ::geteuid())
    return fail(ErrorCode::kSecurity, concat(token.path, " can be read by others, so it is no secret."),
                "Remove it, and a new token is made.");
  auto text = read_all(kept.get(), 1024);
  if (!text) return fail(text.error());
  token.text = trim(*text);
  constexpr std::size_t kShortest = 20;
  if (token.text.size() < kShortest)
    return fail(ErrorCode::kInvalidArgument, concat(token.path, " holds no token."),
                "Remove it, and one is made.");
  return token;
}

}  // namespace helve::cli
