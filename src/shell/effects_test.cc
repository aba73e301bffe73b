#include "shell/effects.h"

#include <gtest/gtest.h>

#include "shell/command_line_testing.h"

namespace helve::shell {
namespace {

struct EffectRow {
  std::string_view line;
  std::string_view reason;  // empty: no effect
};

// The effect of the first command in the line that has one.
std::string first_effect(std::string_view line) {
  for (const SimpleCommand& command : parse_command_line(line).commands)
    if (auto reason = runs_more(command)) return *reason;
  return {};
}

TEST(Effects, HarmlessCommandsHaveNoEffect) {
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
      {"find src/$d -type f", "an argument of find is not literal and could be an option: src/$d"},
      {"find \"src/$d\" -type f", ""},
      {"rg -n 'rm -rf' src", ""},
      {"rg -n -- \"$x\"", ""},
      {"sed -n '1,20p' f", ""},
      {"sed -e 's/a/b/g; s|c|d|' -e '/x/d' f", ""},
      {"sed 's/e/w/' f", ""},
      {"sed ':a;N;$!ba;s/\\n/ /g' f", ""},
      {"sed -n '/^a/I,+3{s/x/y/gp;d}' f", ""},
      {"sed '1i header line' f", ""},
      {"sed -E 's/(a|b)+/[\\1]/2' f", ""},
      {"sed '5q' f", ""},
      {"sed 'y/abc/xyz/; $!N' f", ""},
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
      {"find . -exec rm {} \\;", "find with -exec can run programs or write files"},
      {"find . -execdir rm {} \\;", "find with -execdir can run programs or write files"},
      {"find . -ok rm {} \\;", "find with -ok can run programs or write files"},
      {"find . -delete", "find with -delete can run programs or write files"},
      {"find . -fprintf /x %p", "find with -fprintf can run programs or write files"},
      {"find . -fls /x", "find with -fls can run programs or write files"},
      {"find . $x", "an argument of find is not literal and could be an option: $x"},
      {"find $x", "an argument of find is not literal and could be an option: $x"},
      {"find . -name *", "an argument of find is not literal and could be an option: *"},
      {"fd -x rm", "fd with -x can run programs or write files"},
      {"rg --pre x y", "rg with --pre can run programs or write files"},
      {"rg --hostname-bin x y", "rg with --hostname-bin can run programs or write files"},
      {"rg -z y", "rg with -z can run programs or write files"},
      {"rg --search-zip y", "rg with --search-zip can run programs or write files"},
      {"rg $x", "an argument of rg is not literal and could be an option: $x"},
  };
  for (const EffectRow& row : rows) EXPECT_EQ(first_effect(row.line), row.reason) << row.line;
}

TEST(Effects, GitSettingsThatRunProgramsAreUnknown) {
  const EffectRow rows[] = {
      {"git grep -O x", "git grep with -O can run programs or write files"},
      {"git grep --open-files-in-pager=x y",
       "git grep with --open-files-in-pager=x can run programs or write files"},
      {"git grep --open-f y", "git grep with --open-f can run programs or write files"},
      {"git log --output=x", "git log with --output=x can run programs or write files"},
      {"git log --outp x", "git log with --outp can run programs or write files"},
      {"git diff --output x", "git diff with --output can run programs or write files"},
      {"git diff --ext-diff", "git diff with --ext-diff can run programs or write files"},
      {"git fetch --upload-pack=x", "git fetch with --upload-pack=x can run programs or write files"},
      {"git ls-remote --upload-pack x y", "git ls-remote with --upload-pack can run programs or write files"},
      {"git push --receive-pack=x", "git push with --receive-pack=x can run programs or write files"},
      {"git archive --exec=x --remote=y", "git archive with --exec=x can run programs or write files"},
      {"git archive -o x HEAD", "git archive with -o can run programs or write files"},
      {"git rebase -x 'rm y' main", "git rebase with -x can run programs or write files"},
      {"git rebase --exec x main", "git rebase with --exec can run programs or write files"},
      {"git bisect run x", "git bisect with run can run programs or write files"},
      {"git submodule foreach x", "git submodule with foreach can run programs or write files"},
      {"git difftool -x y", "git difftool can run other programs"},
      {"git mergetool", "git mergetool can run other programs"},
      {"git config core.pager x", "git config can set what later commands run"},
      {"git clone 'ext::sh -c x'", "git clone with ext::sh -c x can run programs or write files"},
      {"git clone -c core.pager=x y", "git clone with -c can run programs or write files"},
      {"git clone --template=x y", "git clone with --template=x can run programs or write files"},
      {"git checkout $x", "an argument of git checkout is not literal and could be an option: $x"},
      {"git diff \"$x\"", "an argument of git diff is not literal and could be an option: \"$x\""},
      {"git $x", "an option of git can run other programs: $x"},
      {"git frobnicate", "git frobnicate may be an alias or an external program"},
      {"git --exec-path=x status", "an option of git can run other programs: --exec-path=x"},
      {"git filter-branch --tree-filter x", "git filter-branch can run other programs"},
      {"git format-patch -o /x HEAD", "git format-patch with -o can run programs or write files"},
      {"git cat-file --textconv x", "git cat-file with --textconv can run programs or write files"},
      {"git worktree add x", ""},
      {"python3 -W ignore -c x", "python3 with -c can run programs or write files"},
      {"python3 -W ignore x.py -c y", ""},
      {"git hook run x", "git hook with run can run programs or write files"},
  };
  for (const EffectRow& row : rows) EXPECT_EQ(first_effect(row.line), row.reason) << row.line;
}

TEST(Effects, ScriptsOfSedAndAwk) {
  const EffectRow rows[] = {
      {"sed '1e id' f", "the sed script runs commands or writes files"},
      {"sed 's/a/b/e' f", "the sed script runs commands or writes files"},
      {"sed 's/a/b/w out' f", "the sed script runs commands or writes files"},
      {"sed ':a e touch x' f", "the sed script cannot be parsed"},
      {"sed 'tz e touch x' f", "the sed script cannot be parsed"},
      {"sed 'ba\te touch x' f", "the sed script cannot be parsed"},
      {"sed 'r f\\\ne touch x' f", "the sed script cannot be parsed"},
      {"sed 'R f' f", "the sed script cannot be parsed"},
      {"sed 'a text\\\nmore\ne touch x' f", "the sed script cannot be parsed"},
      {"sed -e 'a\\' -e 's/x/\ne touch x\n/' f", "the sed script cannot be parsed"},
      {"sed 's/[\\/]/x/;e touch x #/' f", "the sed script cannot be parsed"},
      {"sed '\\,x,e touch x' f", "the sed script cannot be parsed"},
      {"sed 's/a/b/ge' f", "the sed script runs commands or writes files"},
      {"sed 's/a/b/gMw x' f", "the sed script runs commands or writes files"},
      {"sed 's/a/b/;W x' f", "the sed script runs commands or writes files"},
      {"sed '/x/,$!{p;e touch x' f", "the sed script runs commands or writes files"},
      {"sed '$ e touch x' f", "the sed script runs commands or writes files"},
      {"sed 'p 5 e touch x' f", "the sed script cannot be parsed"},
      {"sed -n 'w out' f", "the sed script runs commands or writes files"},
      {"sed -i s/a/b/ f", "an option of sed writes files, reads a script, or is not literal"},
      {"sed --in-place s/a/b/ f", "an option of sed writes files, reads a script, or is not literal"},
      {"sed -f script f", "an option of sed writes files, reads a script, or is not literal"},
      {"sed \"$x\" f", "an option of sed writes files, reads a script, or is not literal"},
      {"sed p f -i", "an option of sed writes files, reads a script, or is not literal"},
      {"sed '$!{x;W out\n}' f", "the sed script runs commands or writes files"},
      {"sed 's/[/]e/x/' f", "the sed script cannot be parsed"},
      {"awk 'BEGIN{system(\"id\")}'", "the awk script has system"},
      {"awk '{print > \"out\"}' f", "the awk script can write files or run commands"},
      {"awk '{print | \"sh\"}' f", "the awk script can write files or run commands"},
      {"awk '{\"id\" | getline x}' f", "the awk script has getline"},
      {"awk '@load \"x\"' f", "the awk script has @"},
      {"awk -f script f", "an option of awk reads a script, writes files, or is not literal"},
      {"awk \"$x\" f", "an option of awk reads a script, writes files, or is not literal"},
      {"gawk -i inplace '{print}' f", "an option of awk reads a script, writes files, or is not literal"},
  };
  for (const EffectRow& row : rows) EXPECT_EQ(first_effect(row.line), row.reason) << row.line;
}

TEST(Effects, ArchivesAndTheNetwork) {
  const EffectRow rows[] = {
      {"tar --checkpoint=1 --checkpoint-action=exec=x -cf a b",
       "tar with --checkpoint=1 can run programs or write files"},
      {"tar --to-command=x -xf a", "tar with --to-command=x can run programs or write files"},
      {"tar -I x -xf a", "tar with -I can run programs or write files"},
      {"tar xIf x a", "tar with xIf can run programs or write files"},
      {"tar --use-compress-program x -xf a",
       "tar with --use-compress-program can run programs or write files"},
      {"tar -F x -cf a b", "tar with -F can run programs or write files"},
      {"tar cf a $x", "an argument of tar is not literal and could be an option: $x"},
      {"rsync -e x a b", "rsync with -e can run programs or write files"},
      {"rsync --rsh=x a b", "rsync with --rsh=x can run programs or write files"},
      {"ssh -o ProxyCommand=x h", "ssh with -o can run programs or write files"},
      {"ssh -oLocalCommand=x h", "ssh with -oLocalCommand=x can run programs or write files"},
      {"ssh -F x h", "ssh with -F can run programs or write files"},
      {"scp -S x a b", "scp with -S can run programs or write files"},
      {"curl -o x u", "curl with -o can run programs or write files"},
      {"curl -K x", "curl with -K can run programs or write files"},
      {"curl -sSLO u", "curl with -sSLO can run programs or write files"},
      {"wget -O x u", "wget with -O can run programs or write files"},
      {"wget --use-askpass=x u", "wget with --use-askpass=x can run programs or write files"},
      {"zip -T -TT x a b", "zip with -T can run programs or write files"},
      {"nc -e sh h 1", "nc with -e can run programs or write files"},
  };
  for (const EffectRow& row : rows) EXPECT_EQ(first_effect(row.line), row.reason) << row.line;
}

TEST(Effects, OtherPrograms) {
  const EffectRow rows[] = {
      {"sort -o x y", "sort with -o can run programs or write files"},
      {"sort --compress-program=x y", "sort with --compress-program=x can run programs or write files"},
      {"sort --out=x y", "sort with --out=x can run programs or write files"},
      {"tee x", "tee writes files"},
      {"tee -a x", "tee writes files"},
      {"dd if=a of=b", "dd with of=b can run programs or write files"},
      {"man -P x ls", "man with -P can run programs or write files"},
      {"less +x f", "less with +x can run programs or write files"},
      {"vim -c x f", "vim with -c can run programs or write files"},
      {"vi +x f", "vi with +x can run programs or write files"},
      {"make SHELL=x", "make with SHELL=x can run programs or write files"},
      {"make --eval=x", "make with --eval=x can run programs or write files"},
      {"make -f x", "make with -f can run programs or write files"},
      {"make CC=x", "make with CC=x can run programs or write files"},
      {"gcc -wrapper x y", "gcc with -wrapper can run programs or write files"},
      {"python3 -c x", "python3 with -c can run programs or write files"},
      {"python3 -m timeit x", "python3 with -m can run programs or write files"},
      {"python3.11 -mtimeit", "python3.11 with -mtimeit can run programs or write files"},
      {"node -e x", "node with -e can run programs or write files"},
      {"node -r x y", "node with -r can run programs or write files"},
      {"node --require x y", "node with --require can run programs or write files"},
      {"node --eval=x", "node with --eval=x can run programs or write files"},
      {"perl -e x", "perl with -e can run programs or write files"},
      {"perl -pi -e x y", "perl with -pi can run programs or write files"},
      {"ruby -e x", "ruby with -e can run programs or write files"},
      {"php -r x", "php with -r can run programs or write files"},
      {"gdb --args x", "gdb runs programs and commands"},
      {"expect -c x", "expect can run commands"},
      {"ldd x", "ldd can run the program that it inspects"},
      {"uniq a b", "uniq writes to its second file"},
      {"xargs find", "arguments of find are unknown and could be options"},
      {"xargs git log", "arguments of git log are unknown and could be options"},
      {"xargs sed p", "arguments of sed are unknown and could be options"},
  };
  for (const EffectRow& row : rows) EXPECT_EQ(first_effect(row.line), row.reason) << row.line;
}

TEST(Effects, Variables) {
  const EffectRow rows[] = {
      {"PATH=. ls", "PATH changes which programs run"},
      {"PATH=.", "PATH changes which programs run"},
      {"LD_PRELOAD=x ls", "LD_PRELOAD changes which programs run"},
      {"BASH_ENV=x ls", "BASH_ENV changes which programs run"},
      {"ENV=x ls", "ENV changes which programs run"},
      {"IFS=x ls", "IFS changes which programs run"},
      {"PS4='$(x)' ls", "PS4 changes which programs run"},
      {"PROMPT_COMMAND=x ls", "PROMPT_COMMAND changes which programs run"},
      {"PERL5OPT=x ls", "PERL5OPT changes which programs run"},
      {"PYTHONPATH=x ls", "PYTHONPATH changes which programs run"},
      {"NODE_OPTIONS=x ls", "NODE_OPTIONS changes which programs run"},
      {"RUBYOPT=x ls", "RUBYOPT changes which programs run"},
      {"JAVA_TOOL_OPTIONS=x ls", "JAVA_TOOL_OPTIONS changes which programs run"},
      {"EDITOR=x ls", "EDITOR changes which programs run"},
      {"GIT_PAGER=x git log", "GIT_PAGER changes which programs run"},
      {"GIT_SSH_COMMAND=x git fetch", "GIT_SSH_COMMAND changes which programs run"},
      {"GIT_CONFIG_COUNT=1 git status", "GIT_CONFIG_COUNT changes which programs run"},
      {"GIT_EXTERNAL_DIFF=x git diff", "GIT_EXTERNAL_DIFF changes which programs run"},
      {"LESSOPEN='|x' less f", "LESSOPEN changes which programs run"},
      {"RIPGREP_CONFIG_PATH=x rg y", "RIPGREP_CONFIG_PATH changes which programs run"},
      {"export PATH=.", "PATH changes which programs run"},
      {"env PATH=. ls", "PATH changes which programs run"},
      {"env 'BASH_FUNC_ls%%=() { x; }' bash -c ls", "BASH_FUNC_ls%% changes which programs run"},
      {"MAKEFLAGS=x make", "MAKEFLAGS changes which programs run"},
  };
  for (const EffectRow& row : rows) EXPECT_EQ(first_effect(row.line), row.reason) << row.line;
}

TEST(Effects, WordsOfTheRuleAreAllowed) {
  const auto effect = [](std::string_view line, std::size_t covered) {
    return runs_more(parse_command_line(line).commands.at(0), covered);
  };
  EXPECT_TRUE(effect("python3 -m pytest -x -c a", 1));
  EXPECT_TRUE(effect("python3 -m pytest -x -c a", 3));
  EXPECT_FALSE(effect("python3 -m pytest -x -k a", 3));
  EXPECT_FALSE(effect("python3 -m pytest -c a", 5));
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
