#!/usr/bin/env bash
# The package has what it should and nothing else, and is the same when it is made again.
# Usage: tests/package/contents.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -euo pipefail
build=$1 source_directory=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
export XZ_LEVEL=0
first=$("$source_directory/scripts/package" "$build" "$work/first")
second=$(cd "$work" && umask 077 && TZ=Asia/Tokyo LC_ALL=C "$source_directory/scripts/package" "$build" "$work/second")
cmp "$first" "$second" || fail "the package is another when it is made again"

field() { dpkg-deb --field "$first" "$1"; }
[[ $(field Package) == helve && $(field Architecture) == "$(dpkg --print-architecture)" ]] || fail "wrong name or architecture"
[[ $(field Depends) == *'libc6 (>= '* ]] || fail "Depends: $(field Depends)"
[[ $(field Recommends) == *libcurl4* ]] || fail "Recommends: $(field Recommends)"

dpkg-deb --extract "$first" "$work/root"
cd "$work/root"
odd=$(find . -type f | grep -vE '^\./usr/(bin/helve|include/helve/plugin(_json)?\.hp?p?|share/(man/man[15]/helve[a-z_-]*\.[15]\.gz|doc/helve/(README\.md|changelog(\.Debian)?\.gz|copyright|docs/[a-z_-]+\.(md|svg))|bash-completion/completions/helve|zsh/vendor-completions/_helve|fish/vendor_completions\.d/helve\.fish))$' || true)
[[ -z $odd ]] || fail "what is this doing there: $odd"
for file in usr/share/man/man1/{helve,helve-init,helve-grep}.1.gz usr/share/man/man5/helve-config.5.gz usr/share/doc/helve/copyright \
  usr/share/bash-completion/completions/helve usr/share/zsh/vendor-completions/_helve usr/share/fish/vendor_completions.d/helve.fish; do
  [[ -s $file ]] || fail "$file is missing"
done
echo '#include <helve/plugin.hpp>' | g++ -std=c++20 -Iusr/include -fsyntax-only -xc++ - || fail "no plugin can be written with it"
wrong=$(find . -perm /022 -o -type f -perm /111 ! -path ./usr/bin/helve)
[[ -z $wrong ]] || fail "wrong modes: $wrong"
[[ -z $(dpkg-deb --contents "$first" | awk '$2 != "root/root"') ]] || fail "some files do not belong to root"
sections=$(readelf --section-headers --wide usr/bin/helve)
[[ $sections != *.symtab* && $sections != *.debug_* ]] || fail "the program is not stripped"
# The copyright file names every licence.
for name in 'The Helve authors' Boost 'toml++' sodium OpenSSL SQLite tree-sitter-bash tree-sitter-typescript Unicode 'GCC Runtime Library Exception'; do
  grep -qF "$name" usr/share/doc/helve/copyright || fail "copyright says nothing about $name"
done
for path in "$source_directory" "$(readlink -f "$build")" "$HOME/"; do
  [[ $path == / || $path == // ]] && continue
  grep -rqF "$path" . && fail "a path of this machine is in it: $path in $(grep -rlF "$path" .)"
done
dpkg-deb --control "$first" "$work/control"
md5sum --quiet -c "$work/control/md5sums" || fail "the sums are wrong"
echo "$(basename "$first"): $(find . -type f | wc -l) files, Depends: $(field Depends)"
