#!/usr/bin/env bash
# The package on a bare Debian 12, made for this by debootstrap: it installs, works for a user without rights, and its
# removal leaves nothing. Needs root. The mirror is the one that this machine's apt uses.
# Usage: tests/package/bare.sh PACKAGE.deb [DIRECTORY_WITH_A_BARE_SYSTEM_TO_COPY]
set -euo pipefail
package=$(readlink -f "$1")
here=$(cd "$(dirname "$0")" && pwd)
[[ $(id -u) == 0 ]] || { echo "this needs root, for debootstrap"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
system=$work/system

if [[ -n ${2:-} ]]; then
  cp -a "$2" "$system"
else
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' | awk '$2 == "bookworm" { print $1; exit }')
  [[ -n $mirror ]] || { echo "this machine's apt knows no mirror of bookworm"; exit 1; }
  echo "making a bare system…"
  debootstrap --variant=minbase bookworm "$system" "$mirror" >"$work/debootstrap.log" 2>&1 || { tail "$work/debootstrap.log"; exit 1; }
fi
cp "$package" "$system/root/helve.deb"
cp "$here/inside.sh" "$system/root/inside.sh"

# A container instead of a chroot, in which no sandbox can be made: own mounts, own processes, own root.
unshare --mount --pid --ipc --uts --net --fork bash -c '
  set -e
  mount --make-rprivate /
  mount --bind "$1" "$1"
  cd "$1"
  mkdir -p .outside
  pivot_root . .outside
  mount -t proc proc /proc
  mount -t tmpfs tmpfs /tmp
  mount --rbind /.outside/dev /dev
  mount --rbind /.outside/sys /sys
  umount -l /.outside
  rmdir /.outside
  exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash /root/inside.sh
' bash "$system"
