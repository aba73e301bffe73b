#include "sandbox/parts.h"

#include "base/file_io.h"
#include "base/strings.h"

namespace helve::sandbox {
namespace {

constexpr std::string_view kMayLackHint =
    "To run commands without this part, name it in the setting sandbox.may_lack.";

std::string first_line(const std::string& path) {
  const Expected<std::string> text = read_file(path, 256);
  return text ? std::string(trim(*text)) : std::string();
}

}  // namespace

std::string_view part_name(Part part) {
  switch (part) {
    case Part::kUserNamespace: return "user namespace";
    case Part::kMountNamespace: return "mount namespace";
    case Part::kPidNamespace: return "PID namespace";
    case Part::kNetworkNamespace: return "network namespace";
    case Part::kIpcNamespace: return "IPC namespace";
    case Part::kPrivateProc: return "private /proc";
    case Part::kMinimalDev: return "minimal /dev";
    case Part::kLandlock: return "Landlock";
    case Part::kSeccomp: return "seccomp filter";
    case Part::kCgroup: return "cgroup";
  }
  return "unknown part";
}

Error part_error(Part part, std::string_view what, int error_number, std::string hint) {
  if (!hint.empty()) hint += ' ';
  hint += kMayLackHint;
  Json details;
  details["part"] = part_name(part);
  return Error{.code = ErrorCode::kUnavailable,
               .message = concat("The sandbox lacks its ", part_name(part), ": cannot ", what, ": ",
                                 errno_text(error_number)),
               .hint = std::move(hint),
               .details = std::move(details)};
}

Expected<void> record_missing(const Plan& plan, Missing& missing, Part part, Error error) {
  if (!contains(plan.may_lack, part)) return fail(std::move(error));
  if (!contains(missing, part)) missing.push_back(part);
  return {};
}

std::string user_namespace_hint() {
  if (first_line("/proc/sys/user/max_user_namespaces") == "0")
    return "User namespaces are disabled on this machine: set sysctl user.max_user_namespaces=10000.";
  if (first_line("/proc/sys/kernel/unprivileged_userns_clone") == "0")
    return "Only root may create user namespaces: set sysctl kernel.unprivileged_userns_clone=1.";
  if (first_line("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1")
    return "AppArmor restricts user namespaces: give Helve a profile with `userns,`, or set "
           "sysctl kernel.apparmor_restrict_unprivileged_userns=0.";
  return "In a container, start it with a seccomp profile that allows unshare and mount (Docker: "
         "--security-opt seccomp=unconfined); otherwise check the sysctls user.max_user_namespaces, "
         "kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns.";
}

}  // namespace helve::sandbox
