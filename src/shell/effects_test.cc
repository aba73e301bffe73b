#include "shell/effects.h"

#include <gtest/gtest.h>

#include "shell/command_line_testing.h"

namespace helve::shell {
namespace {

struct EffectRow {
  std::string_view line;
  std::string_view reason;  // empty: none
};

// Of the commands in the line, the first that has one.
std::string first_effect(std::string_view line) {
  for (const SimpleCommand& command : parse_command_line(line).commands)
    if (auto reason = runs_more(command)) return *reason;
  return {};
}

TEST(Effects, HarmlessCommandsAreLeftAlone) {
  const EffectRow rows[] = {
      {"ls -la $x", ""},
      {"cat \"$f\" *.c", ""},
      {"grep -rn \"rm -rf /\" docs", ""},
      {"grep -o x $f", ""},
      {"man mkfs", ""},
      {"git diff main..dev", ""},
      {"git status", ""},
      {"git log --oneline -n 5 -- $f", ""},
      {"git log \"HEAD~$n\"", ""},
      {"git show HEAD@{1}", ""},
      {"git commit -m \"$message\"", ""},
      {"git -c color.ui=false diff --text", ""},
      {"git config --get user.name", ""},
      {"git add .", ""},
      {"rm -rf /tmp/build-1", ""},
      {"find . -name '*.c' -print", ""},
      {"find src/$d -type f", "an argument of find is not written out and could be an option: src/$d"},
      {"find \"src/$d\" -type f", ""},
      {"rg -n 'rm -rf' src", ""},
      {"rg -n -- \"$x\"", ""},
      {"sed -n '1,20p' f", ""},
      {"sed -e 's/a/b/g; s|c|d|' -e '/x/d' f", ""},
      {"sed 's/e/w/' f", ""},
      {"awk '{print $1}' f", ""},
      {"awk -F: '$3 > 100 || /a|b/ {print $1}' f", ""},
      {"tar -xzf a.tgz", ""},
      {"tar xf a", ""},
      {"sort -k2 -n f", ""},
      {"curl -sS https://x", ""},
      {"python3 script.py -c x", ""},
      {"node server.js -e", ""},
      {"make -j4 test", ""},
      {"wc -l \"$f\"", ""},
      {"A=1 NODE_ENV=test npm test", ""},
      {"PAGER=cat git log", ""},
      {"GIT_PAGER=cat git log", ""},
      {"PYTHONUNBUFFERED=1 python3 x.py", ""},
      {"uniq -c", ""},
      {"ls -- $x", ""},
  };
  for (const EffectRow& row : rows) EXPECT_EQ(first_effect(row.line), row.reason) << row.line;
}

TEST(Effects, FindAndSearch) {
  const EffectRow rows[] = {
      {"find . -exec rm {} \\;", "find with -exec runs or writes something else"},
      {"find . -execdir rm {} \\;", "find with -execdir runs or writes something else"},
      {"find . -ok rm {} \\;", "find with -ok runs or writes something else"},
      {"find . -delete", "find with -delete runs or writes something else"},
      {"find . -fprintf /x %p", "find with -fprintf runs or writes something else"},
      {"find . -fls /x", "find with -fls runs or writes something else"},
      {"find . $x", "an argument of find is not written out and could be an option: $x"},
      {"find $x", "an argument of find is not written out and could be an option: $x"},
      {"find . -name *", "an argument of find is not written out and could be an option: *"},
      {"fd -x rm", "fd with -x runs or writes something else"},
      {"rg --pre x y", "rg with --pre runs or writes something else"},
      {"rg --hostname-bin x y", "rg with --hostname-bin runs or writes something else"},
      {"rg -z y", "rg with -z runs or writes something else"},
      {"rg --search-zip y", "rg with --search-zip runs or writes something else"},
      {"rg $x", "an argument of rg is not written out and could be an option: $x"},
  };
  for (const EffectRow& row : rows) EXPECT_EQ(first_effect(row.line), row.reason) << row.line;
}

TEST(Effects, GitSettingsThatRunProgramsAreUnknown) {
  const EffectRow rows[] = {
      {"git grep -O x", "git grep with -O runs or writes something else"},
      {"git grep --open-files-in-pager=x y",
       "git grep with --open-files-in-pager=x runs or writes something else"},
      {"git grep --open-f y", "git grep with --open-f runs or writes something else"},
      {"git log --output=x", "git log with --output=x runs or writes something else"},
      {"git log --outp x", "git log with --outp runs or writes something else"},
      {"git diff --output x", "git diff with --output runs or writes something else"},
      {"git diff --ext-diff", "git diff with --ext-diff runs or writes something else"},
      {"git fetch --upload-pack=x", "git fetch with --upload-pack=x runs or writes something else"},
      {"git ls-remote --upload-pack x y", "git ls-remote with --upload-pack runs or writes something else"},
      {"git push --receive-pack=x", "git push with --receive-pack=x runs or writes something else"},
      {"git archive --exec=x --remote=y", "git archive with --exec=x runs or writes something else"},
      {"git archive -o x HEAD", "git archive with -o runs or writes something else"},
      {"git rebase -x 'rm y' main", "git rebase with -x runs or writes something else"},
      {"git rebase --exec x main", "git rebase with --exec runs or writes something else"},
      {"git bisect run x", "git bisect with run runs or writes something else"},
      {"git submodule foreach x", "git submodule with foreach runs or writes something else"},
      {"git difftool -x y", "git difftool can run other programs"},
      {"git mergetool", "git mergetool can run other programs"},
      {"git config core.pager x", "git config can set what later commands run"},
      {"git clone 'ext::sh -c x'", "git clone with ext::sh -c x runs or writes something else"},
      {"git clone -c core.pager=x y", "git clone with -c runs or writes something else"},
      {"git clone --template=x y", "git clone with --template=x runs or writes something else"},
      {"git checkout $x", "an argument of git checkout is not written out and could be an option: $x"},
      {"git diff \"$x\"", "an argument of git diff is not written out and could be an option: \"$x\""},
      {"git $x", "an option of git can run other programs: $x"},
      {"git frobnicate", "git frobnicate may be an alias or a program of its own"},
      {"git --exec-path=x status", "an option of git can run other programs: --exec-path=x"},
      {"git filter-branch --tree-filter x", "git filter-branch can run other programs"},
      {"git format-patch -o /x HEAD", "git format-patch with -o runs or writes something else"},
      {"git cat-file --textconv x", "git cat-file with --textconv runs or writes something else"},
      {"git worktree add x", ""},
      {"python3 -W ignore -c x", "python3 with -c runs or writes something else"},
      {"python3 -W ignore x.py -c y", ""},
      {"git hook run x", "git hook with run runs or writes something else"},
  };
  for (const EffectRow& row : rows) EXPECT_EQ(first_effect(row.line), row.reason) << row.line;
}

TEST(Effects, ScriptsOfSedAndAwk) {
  const EffectRow rows[] = {
      {"sed '1e id' f", "the script of sed runs commands or writes files"},
      {"sed 's/a/b/e' f", "the script of sed runs commands or writes files"},
      {"sed 's/a/b/w out' f", "the script of sed runs commands or writes files"},
      {"sed -n 'w out' f", "the script of sed runs commands or writes files"},
      {"sed -i s/a/b/ f", "an option of sed writes files, reads a script, or is not written out"},
      {"sed --in-place s/a/b/ f", "an option of sed writes files, reads a script, or is not written out"},
      {"sed -f script f", "an option of sed writes files, reads a script, or is not written out"},
      {"sed \"$x\" f", "an option of sed writes files, reads a script, or is not written out"},
      {"sed p f -i", "an option of sed writes files, reads a script, or is not written out"},
      {"sed '$!{x;W out\n}' f", "the script of sed runs commands or writes files"},
      {"sed 's/[/]e/x/' f", "a script of sed that cannot be read"},
      {"awk 'BEGIN{system(\"id\")}'", "the script of awk has system"},
      {"awk '{print > \"out\"}' f", "the script of awk can write files or run commands"},
      {"awk '{print | \"sh\"}' f", "the script of awk can write files or run commands"},
      {"awk '{\"id\" | getline x}' f", "the script of awk has getline"},
      {"awk '@load \"x\"' f", "the script of awk has @"},
      {"awk -f script f", "an option of awk reads a script, writes files, or is not written out"},
      {"awk \"$x\" f", "an option of awk reads a script, writes files, or is not written out"},
      {"gawk -i inplace '{print}' f", "an option of awk reads a script, writes files, or is not written out"},
  };
  for (const EffectRow& row : rows) EXPECT_EQ(first_effect(row.line), row.reason) << row.line;
}

TEST(Effects, ArchivesAndTheNetwork) {
  const EffectRow rows[] = {
      {"tar --checkpoint=1 --checkpoint-action=exec=x -cf a b",
       "tar with --checkpoint=1 runs or writes something else"},
      {"tar --to-command=x -xf a", "tar with --to-command=x runs or writes something else"},
      {"tar -I x -xf a", "tar with -I runs or writes something else"},
      {"tar xIf x a", "tar with xIf runs or writes something else"},
      {"tar --use-compress-program x -xf a", "tar with --use-compress-program runs or writes something else"},
      {"tar -F x -cf a b", "tar with -F runs or writes something else"},
      {"tar cf a $x", "an argument of tar is not written out and could be an option: $x"},
      {"rsync -e x a b", "rsync with -e runs or writes something else"},
      {"rsync --rsh=x a b", "rsync with --rsh=x runs or writes something else"},
      {"ssh -o ProxyCommand=x h", "ssh with -o runs or writes something else"},
      {"ssh -oLocalCommand=x h", "ssh with -oLocalCommand=x runs or writes something else"},
      {"ssh -F x h", "ssh with -F runs or writes something else"},
      {"scp -S x a b", "scp with -S runs or writes something else"},
      {"curl -o x u", "curl with -o runs or writes something else"},
      {"curl -K x", "curl with -K runs or writes something else"},
      {"curl -sSLO u", "curl with -sSLO runs or writes something else"},
      {"wget -O x u", "wget with -O runs or writes something else"},
      {"wget --use-askpass=x u", "wget with --use-askpass=x runs or writes something else"},
      {"zip -T -TT x a b", "zip with -T runs or writes something else"},
      {"nc -e sh h 1", "nc with -e runs or writes something else"},
  };
  for (const EffectRow& row : rows) EXPECT_EQ(first_effect(row.line), row.reason) << row.line;
}

TEST(Effects, OtherPrograms) {
  const EffectRow rows[] = {
      {"sort -o x y", "sort with -o runs or writes something else"},
      {"sort --compress-program=x y", "sort with --compress-program=x runs or writes something else"},
      {"sort --out=x y", "sort with --out=x runs or writes something else"},
      {"tee x", "tee writes files"},
      {"tee -a x", "tee writes files"},
      {"dd if=a of=b", "dd with of=b runs or writes something else"},
      {"man -P x ls", "man with -P runs or writes something else"},
      {"less +x f", "less with +x runs or writes something else"},
      {"vim -c x f", "vim with -c runs or writes something else"},
      {"vi +x f", "vi with +x runs or writes something else"},
      {"make SHELL=x", "make with SHELL=x runs or writes something else"},
      {"make --eval=x", "make with --eval=x runs or writes something else"},
      {"make -f x", "make with -f runs or writes something else"},
      {"make CC=x", "make with CC=x runs or writes something else"},
      {"gcc -wrapper x y", "gcc with -wrapper runs or writes something else"},
      {"python3 -c x", "python3 with -c runs or writes something else"},
      {"python3 -m timeit x", "python3 with -m runs or writes something else"},
      {"python3.11 -mtimeit", "python3.11 with -mtimeit runs or writes something else"},
      {"node -e x", "node with -e runs or writes something else"},
      {"node -r x y", "node with -r runs or writes something else"},
      {"node --require x y", "node with --require runs or writes something else"},
      {"node --eval=x", "node with --eval=x runs or writes something else"},
      {"perl -e x", "perl with -e runs or writes something else"},
      {"perl -pi -e x y", "perl with -pi runs or writes something else"},
      {"ruby -e x", "ruby with -e runs or writes something else"},
      {"php -r x", "php with -r runs or writes something else"},
      {"gdb --args x", "gdb runs programs and commands"},
      {"expect -c x", "expect can run commands"},
      {"ldd x", "ldd can run the program it looks at"},
      {"uniq a b", "uniq writes to its second file"},
      {"xargs find", "arguments of find come from elsewhere and could be options"},
      {"xargs git log", "arguments of git log come from elsewhere and could be options"},
      {"xargs sed p", "arguments of sed come from elsewhere and could be options"},
  };
  for (const EffectRow& row : rows) EXPECT_EQ(first_effect(row.line), row.reason) << row.line;
}

TEST(Effects, Variables) {
  const EffectRow rows[] = {
      {"PATH=. ls", "PATH changes what is run, or how"},
      {"PATH=.", "PATH changes what is run, or how"},
      {"LD_PRELOAD=x ls", "LD_PRELOAD changes what is run, or how"},
      {"BASH_ENV=x ls", "BASH_ENV changes what is run, or how"},
      {"ENV=x ls", "ENV changes what is run, or how"},
      {"IFS=x ls", "IFS changes what is run, or how"},
      {"PS4='$(x)' ls", "PS4 changes what is run, or how"},
      {"PROMPT_COMMAND=x ls", "PROMPT_COMMAND changes what is run, or how"},
      {"PERL5OPT=x ls", "PERL5OPT changes what is run, or how"},
      {"PYTHONPATH=x ls", "PYTHONPATH changes what is run, or how"},
      {"NODE_OPTIONS=x ls", "NODE_OPTIONS changes what is run, or how"},
      {"RUBYOPT=x ls", "RUBYOPT changes what is run, or how"},
      {"JAVA_TOOL_OPTIONS=x ls", "JAVA_TOOL_OPTIONS changes what is run, or how"},
      {"EDITOR=x ls", "EDITOR changes what is run, or how"},
      {"GIT_PAGER=x git log", "GIT_PAGER changes what is run, or how"},
      {"GIT_SSH_COMMAND=x git fetch", "GIT_SSH_COMMAND changes what is run, or how"},
      {"GIT_CONFIG_COUNT=1 git status", "GIT_CONFIG_COUNT changes what is run, or how"},
      {"GIT_EXTERNAL_DIFF=x git diff", "GIT_EXTERNAL_DIFF changes what is run, or how"},
      {"LESSOPEN='|x' less f", "LESSOPEN changes what is run, or how"},
      {"RIPGREP_CONFIG_PATH=x rg y", "RIPGREP_CONFIG_PATH changes what is run, or how"},
      {"export PATH=.", "PATH changes what is run, or how"},
      {"env PATH=. ls", "PATH changes what is run, or how"},
      {"env 'BASH_FUNC_ls%%=() { x; }' bash -c ls", "BASH_FUNC_ls%% changes what is run, or how"},
      {"MAKEFLAGS=x make", "MAKEFLAGS changes what is run, or how"},
  };
  for (const EffectRow& row : rows) EXPECT_EQ(first_effect(row.line), row.reason) << row.line;
}

TEST(Effects, WhatARuleNamesIsMeant) {
  const auto effect = [](std::string_view line, std::size_t covered) {
    return runs_more(parse_command_line(line).commands.at(0), covered);
  };
  EXPECT_TRUE(effect("python3 -m pytest -x -c a", 1));
  EXPECT_FALSE(effect("python3 -m pytest -x -c a", 3));
  EXPECT_TRUE(effect("find . -delete", 1));
  EXPECT_FALSE(effect("find . -delete", 3));
  EXPECT_TRUE(effect("find . -delete -exec x ;", 3));
  EXPECT_FALSE(effect("git bisect run x", 3));
  EXPECT_FALSE(effect("git frobnicate x", 2));
  EXPECT_TRUE(effect("git frobnicate --output=x", 2));
  EXPECT_FALSE(effect("git -c core.pager=x log", 4));
  EXPECT_TRUE(effect("PATH=. find . -delete", 3));
}
}  // namespace
}  // namespace helve::shell
