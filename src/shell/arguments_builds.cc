// Harmless arguments of compilers, build tools and linters.
#include "shell/arguments.h"

namespace helve::shell {
namespace {

constexpr ArgumentRow kBuilds[] = {
    {.programs = "make gmake",
     .options =
         "-b -B -d -i -k -n -p -q -r -R -s -S -t -w -h -j? -j*# -j=# -l=# -O*% -W= -o= --always-make "
         "--ignore-errors --keep-going --just-print --print-data-base --question --no-builtin-rules --stop "
         "--touch --print-directory --no-print-directory --jobs? --jobs=# --load-average=# --output-sync? "
         "--what-if= --old-file= --assume-old= --trace --debug? --warn-undefined-variables --recon "
         "--shuffle?"},
    {.programs = "ninja samu",
     .options =
         "-C=@ -j=# -k=# -l=# -n -v -d=% -w=% "
         "-t=targets|query|compdb|deps|graph|clean|rules|commands|inputs|cleandead|restat|missingdeps"},
    {.programs = "cmake",
     .options =
         "-S=@|.. -B=@ -G= -A=% -T=% -D=!|CMAKE_BUILD_TYPE=*|CMAKE_BUILD_TYPE:STRING=* -U= -N -L -LA -LH "
         "-LAH "
         "-Wdev -Wno-dev -Werror=% -Wno-error=% -j*# -j=# -t=& -v --build=@ --target=& --parallel=# "
         "--parallel "
         "--config=% --clean-first --preset=% --list-presets? --install=@ --component=% --fresh "
         "--log-level=% "
         "--warn-uninitialized --trace --trace-expand --debug-output --use-stderr --system-information",
     .operands = "@|..",
     .single_dash = true},
    {.programs = "ctest",
     .options =
         "-V -VV -N -Q -F -j*# -j=# -R= -E= -L= -LE= -I= -C=% -T=% --output-on-failure --verbose "
         "--extra-verbose "
         "--show-only? --parallel=# --test-dir=@ --rerun-failed --timeout=# --stop-on-failure --progress "
         "--repeat=until-fail:*|until-pass:*|after-timeout:* --preset=% --no-tests=% --schedule-random "
         "--output-junit=~ --tests-regex= --exclude-regex= --label-regex= --label-exclude= --print-labels "
         "--build-config=% --test-timeout=# --max-width=#",
     .single_dash = true},
    {.programs = "cpack", .options = "-G=% -C=% -V -B=@"},
    {.programs = "meson",
     .options =
         "-C=@ -v -j=# -D=! -t=# --buildtype=% --suite= --list --repeat=# --num-processes=# "
         "--print-errorlogs "
         "--no-rebuild --werror --wipe --reconfigure --clean --default-library=% --optimization=% --prefix=@ "
         "--timeout-multiplier=#",
     .operands = "@",
     .subcommands = "setup compile test configure introspect dist"},
    {.programs = "bazel bazelisk",
     .options =
         "-c=opt|dbg|fastbuild --compilation_mode=opt|dbg|fastbuild --config=% -k --keep_going --jobs=# -j=# "
         "--test_output=% --test_filter= --verbose_failures --subcommands -s --cache_test_results=% "
         "--nocache_test_results "
         "--runs_per_test=# --test_tag_filters= --test_timeout=# --noshow_progress --color=% --curses=% "
         "--output=% "
         "--stamp --nostamp --features=& --test_size_filters=& --build_tests_only",
     .subcommands = "build test query cquery aquery info version fetch clean coverage help"},
    {.programs = "gradle gradlew",
     .options =
         "-i -d -q -s -S -w -m -a -x=% -P=! --info --debug --stacktrace --full-stacktrace --daemon --offline "
         "--parallel "
         "--continue --tests= --rerun-tasks --build-cache --console=% --exclude-task=% --warning-mode=% "
         "--max-workers=# --profile --refresh-dependencies --configuration-cache --configure-on-demand "
         "--warn "
         "--fail-fast --rerun --configuration=% --all"},
    {.programs = "mvn mvnw mvnd",
     .options =
         "-q -B -o -U -e -X -am -amd -fae -ff -fn -ntp -nsu -T= -pl= -P=& "
         "-D=!|skipTests|test=*|it.test=*|maven.test.skip|skipITs|dependency-check.skip --quiet --batch-mode "
         "--offline --update-snapshots --errors --debug --also-make --also-make-dependents --fail-at-end "
         "--fail-fast "
         "--fail-never --no-transfer-progress --threads= --projects=",
     .operands = "clean|validate|compile|test-compile|test|package|verify|install|integration-test|site|"
                 "dependency:tree|dependency:list|dependency:analyze|dependency:resolve|help:effective-pom|"
                 "versions:display-dependency-updates|spotless:check|spotless:apply|checkstyle:check",
     .single_dash = true},
    {.programs = "ant",
     .options = "-q -v -d -quiet -verbose -debug -p -projecthelp -k -S -D=!",
     .single_dash = true},
    {.programs = "just",
     .options = "-l -n -q -v --list --summary --show=% --evaluate --unsorted --highlight"},
    {.programs = "gcc g++ cc c++ clang clang++ gfortran cpp",
     .options =
         "-c -S -E -v -w -s -pthread -shared -static -pipe -pedantic -pedantic-errors -ansi -M -MM -MD -MMD "
         "-MP -MG "
         "-rdynamic -nostdlib -nostdinc -nodefaultlibs -static-libgcc -static-libstdc++ -no-pie -pie "
         "-fsyntax-only "
         "-MF=~ -MT= -MQ= -o=~ -D= -U= -I= -L= -isystem= -iquote= -idirafter= "
         "-x=c|c++|c-header|c++-header|none "
         "-O*% -g -g0 -g1 -g2 -g3 -ggdb -ggdb3 -gdwarf-4 -gdwarf-5 -gsplit-dwarf -gline-tables-only -f*% "
         "-W*% -Werror=% -Wno-error=% -Wformat=# -m*% -march=% -mtune=% -mcpu=% -std=% -l*% "
         "-std=c++*|gnu++*|c*|gnu* -fsanitize=& -fno-sanitize=& -fvisibility=% -fdiagnostics-color=% "
         "-fdiagnostics-format=% -ferror-limit=# -fmax-errors=# -ftemplate-depth=# -fconstexpr-depth=# "
         "-fmessage-length=# -fabi-version=# -flto=% -fcf-protection=% -ftrivial-auto-var-init=% -stdlib=% "
         "-dumpversion -dumpmachine -print-search-dirs -print-file-name=% -print-prog-name=% -target=& "
         "-Wl,--as-needed -Wl,--gc-sections -Wl,--no-undefined -Wl,-z,now -Wl,-z,relro -Wl,-O1",
     .single_dash = true},
    {.programs = "rustc",
     .options = "-O -g -v -V --edition=% --crate-type=& --crate-name=% --emit=& --test --explain=% --print=% "
                "-A= -W= -D= -F= "
                "--cfg= --cap-lints=% -o=~ --error-format=% --target=% "
                "--codegen=opt-level=*|debuginfo=*|lto*|panic=* "
                "-C=opt-level=*|debuginfo=*|debug-assertions*|overflow-checks*|target-cpu=*|lto*|panic=*|"
                "strip=*|codegen-units=*"},
    {.programs = "ld ld.bfd ld.gold ld.lld",
     .options = "-r -s -S -v -shared -static -pie -o=~ -L= -l*% -e=% -m=%",
     .single_dash = true},
    {.programs = "nm",
     .options = "-a -A -o -B -C -D -g -u -U -n -v -p -r -S -s -l -P -t=% -f=% --demangle? --defined-only "
                "--undefined-only "
                "--dynamic --extern-only --size-sort --print-size --line-numbers --no-sort --numeric-sort "
                "--reverse-sort "
                "--print-file-name --debug-syms --print-armap --format=% --radix=%"},
    {.programs = "objdump",
     .options = "-a -d -D -S -t -T -h -x -p -r -R -f -s -C -l -w -z -e -G -j= -M=& -m=% -b=% --disassemble? "
                "--disassemble-all "
                "--no-show-raw-insn --demangle? --start-address=# --stop-address=# --section= --source "
                "--line-numbers "
                "--all-headers --syms --dynamic-syms --private-headers --file-headers --full-contents "
                "--reloc --wide"},
    {.programs = "ar ranlib", .options = "-t -r -c -s -v -x -p -q -d -u -D -U -T -rcs -cr -crs -rc -tv"},
    {.programs = "strip",
     .options =
         "-s -g -S -d -x -X -p -v -o=~ -R= -K= -N= --strip-all --strip-debug --strip-unneeded --discard-all "
         "--remove-section= --keep-symbol= --preserve-dates"},
    {.programs = "clang-tidy",
     .options = "-p=@ -checks= -quiet -fix -fix-errors -header-filter= -warnings-as-errors= -list-checks "
                "-format-style=% "
                "-line-filter= -system-headers -use-color -explain-config -dump-config "
                "-extra-arg=-std=*|-W*|-I*|-D*",
     .rest = "clang",
     .single_dash = true},
    {.programs = "clang-format git-clang-format",
     .options = "-i -n -v -style= -fallback-style= -dry-run -Werror -sort-includes -assume-filename= -lines= "
                "-files= "
                "-output-replacements-xml -offset=# -length=# -cursor=# -dump-config",
     .single_dash = true},
    {.programs = "cppcheck",
     .options = "-q -f -v -j=# -I= -D= -U= -i= --enable=& --disable=& --std=% --std=c++*|c* "
                "--error-exitcode=# --inline-suppr "
                "--suppress= --suppressions-list= --language=% --platform=% --force --max-configs=# "
                "--template= --xml "
                "--xml-version=# --check-level=% --inconclusive --std= --check-config --errorlist --doc "
                "--file-filter= "
                "--file-list= --includes-file= --relative-paths --report-progress"},
    {.programs = "cmake-format cmake-lint", .options = "-i --check --in-place"},
    {.programs = "protoc",
     .options = "-I= --proto_path= --cpp_out=@ --python_out=@ --java_out=@ --csharp_out=@ --go_out=@ "
                "--go_opt= --go-grpc_out=@ "
                "--go-grpc_opt= --pyi_out=@ --experimental_allow_proto3_optional --include_imports "
                "--include_source_info",
     .single_dash = true},
    {.programs = "doxygen", .options = "-q -v -s", .operands = "Doxyfile*|docs/Doxyfile*|doc/Doxyfile*"},
    {.programs = "sphinx-build",
     .options =
         "-W -n -q -E -a -v -T -N -j=% -t=% -D=language=*|nitpicky=* "
         "-b=html|dirhtml|singlehtml|latex|epub|text|man|xml|linkcheck|doctest|json|gettext|coverage|dummy "
         "--keep-going --nitpicky --fail-on-warning",
     .operands = "@"},
    {.programs = "mkdocs",
     .options = "-q -v -s -c --strict --clean --dirty -a= --no-livereload",
     .subcommands = "build serve"},
    {.programs = "pdflatex xelatex latex tex",
     .options =
         "-interaction=% -halt-on-error -file-line-error -draftmode -no-shell-escape -synctex=# -recorder "
         "-output-directory=@ -output-format=%",
     .single_dash = true},
    {.programs = "latexmk",
     .options = "-pdf -c -C -f -g -quiet -silent -xelatex -lualatex -dvi -ps -interaction=% -halt-on-error "
                "-file-line-error -outdir=@ -output-directory=@ -cd -bibtex",
     .single_dash = true},
    {.programs = "bats",
     .options = "-r -t -p -c -j=# -f= --tap --pretty --count --recursive --jobs=# --filter= --timing -T "
                "--print-output-on-failure --filter-tags= --no-parallelize-across-files"},
    {.programs = "pre-commit",
     .options = "-a -v --all-files --files --show-diff-on-failure --from-ref= --to-ref= --hook-stage=%",
     .subcommands = "run validate-config"},
    {.programs = "qmake", .options = "-v -query -Wall", .single_dash = true},
    {.programs = "xcodebuild",
     .options = "-scheme= -target= -configuration=% -sdk=% -destination= -quiet -list -showsdks -project=@ "
                "-workspace=@ "
                "-only-testing= -skip-testing= -parallel-testing-enabled=%",
     .operands = "build|test|clean|analyze|build-for-testing|test-without-building",
     .single_dash = true},
};

}  // namespace

std::span<const ArgumentRow> detail::build_arguments() { return kBuilds; }

}  // namespace helve::shell
