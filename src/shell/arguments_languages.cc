// Harmless arguments of languages, their package managers, test runners and linters.
#include "shell/arguments.h"

namespace helve::shell {
namespace {

constexpr ArgumentRow kLanguages[] = {
    {.programs = "python", .options = "-u -B -O -OO -I -E -s -S -q -v -b -d -P -V -VV -W=%", .script = true},
    {.programs = "pytest py.test",
     .options =
         "-v -vv -q -x -s -l -h -f -k= -m= -n=% -r=% -ra -rA --verbose --quiet --exitfirst --maxfail=# "
         "--tb=% "
         "--durations=# --durations-min=# --lf --last-failed --ff --failed-first --nf --new-first --sw "
         "--stepwise "
         "--stepwise-skip --cache-show --cache-clear --co --collect-only --setup-show --setup-only "
         "--setup-plan "
         "--fixtures --fixtures-per-test --markers --showlocals --no-header --no-summary --capture=% "
         "--show-capture=% "
         "--code-highlight=% --strict-markers --strict-config --strict --runxfail "
         "--continue-on-collection-errors --deselect= --ignore= --ignore-glob= --import-mode=% "
         "--disable-warnings "
         "--disable-pytest-warnings --cov-branch --cov-append --no-cov --cov --cov=@ "
         "--cov-report=term|term-missing|xml|html|lcov|json|term-missing:skip-covered --cov-fail-under=# "
         "--numprocesses=% --dist=% --timeout=# --reruns=# --reruns-delay=# --benchmark-only "
         "--benchmark-skip "
         "--asyncio-mode=% --snapshot-update --doctest-modules --doctest-continue-on-failure "
         "--log-cli-level=% "
         "--log-level=% --full-trace --junitxml=~ --junit-xml=~ --random-order --randomly-seed=# --run-slow "
         "--runslow "
         "--looponfail --testmon --xfail-tb --nomigrations --reuse-db --create-db --exitfirst"},
    {.programs = "unittest",
     .options = "-v -q -f -b -c -k= -s=@ -p=% -t=@ --failfast --buffer --catch --locals"},
    {.programs = "json.tool",
     .options = "--indent=# --compact --sort-keys --no-ensure-ascii --json-lines --tab",
     .most_operands = 1},
    {.programs = "http.server", .options = "-b= -d=@ --bind= --directory=@"},
    {.programs = "venv compileall py_compile tokenize ast dis calendar platform site sysconfig",
     .options = "-q -f -l -m=% --clear --upgrade --without-pip --system-site-packages"},
    {.programs = "mypy dmypy",
     .options =
         "-p= -m= -v --strict --ignore-missing-imports --show-error-codes --pretty --python-version=# "
         "--platform=% "
         "--follow-imports=% --exclude= --disable-error-code=% --enable-error-code=% --show-column-numbers "
         "--show-error-context --check-untyped-defs --disallow-untyped-defs --warn-unused-ignores "
         "--warn-return-any --no-incremental --namespace-packages --explicit-package-bases "
         "--no-error-summary "
         "--hide-error-context --error-summary --sqlite-cache --fast-module-lookup --disallow-any-generics"},
    {.programs = "pyright basedpyright",
     .options = "-w -v --watch --stats --outputjson --warnings --skipunannotated --level=%"},
    {.programs = "flake8",
     .options =
         "-v -q -j=% --max-line-length=# --select= --ignore= --extend-select= --extend-ignore= --exclude= "
         "--extend-exclude= --statistics --count --show-source --max-complexity=# --filename= "
         "--per-file-ignores= "
         "--max-doc-length=# --benchmark --exit-zero --isolated"},
    {.programs = "pylint",
     .options =
         "-d= -e= -E -j=# -r=% -s=% -v --disable= --enable= --errors-only --jobs=# --reports=% --score=% "
         "--output-format=text|json|colorized|parseable --fail-under=# --ignore= --ignore-patterns= "
         "--recursive=% "
         "--max-line-length=# --list-msgs --fail-on="},
    {.programs = "ruff",
     .options =
         "-q -s -v -n -w -e --fix --fix-only --diff --check --select= --ignore= --extend-select= "
         "--extend-ignore= "
         "--exclude= --extend-exclude= --line-length=# --statistics --show-fixes --unsafe-fixes --no-fix "
         "--watch "
         "--no-cache --preview --target-version=% --output-format=% --add-noqa --exit-zero "
         "--exit-non-zero-on-fix "
         "--isolated --per-file-ignores= --show-files --show-settings --stdin-filename= --force-exclude",
     .subcommands = "check format rule linter version clean config"},
    {.programs = "black",
     .options = "-q -v -l=# -t=% -S -C --check --diff --line-length=# --target-version=% --fast --safe "
                "--exclude= --include= "
                "--extend-exclude= --force-exclude= --preview --skip-string-normalization "
                "--skip-magic-trailing-comma "
                "--workers=# --stdin-filename= --line-ranges="},
    {.programs = "isort autopep8 yapf pyupgrade autoflake pydocstyle pycodestyle bandit vulture djlint",
     .options =
         "-q -v -c -l=# -i -d -r -a -e --check --check-only --diff --profile=% --line-length=# --in-place "
         "--recursive "
         "--aggressive --max-line-length=# --remove-all-unused-imports --py38-plus --py39-plus --py310-plus "
         "--skip= --skip-glob= --select= --ignore= --exclude= --parallel --atomic --filename= --reformat "
         "--lint"},
    {.programs = "tox",
     .options =
         "-e= -q -v -r -l -p?& --recreate --parallel? --listenvs --notest --skip-missing-interpreters? -n=%"},
    {.programs = "nox",
     .options =
         "-s= -l -e= -k= -t= -r -R -p= --sessions= --list --reuse-existing-virtualenvs --tags= --keywords="},
    {.programs = "coverage",
     .options = "-m -i -a -q --show-missing --ignore-errors --fail-under=# --skip-covered --skip-empty "
                "--precision=# "
                "--include= --omit= --branch --source=&",
     .subcommands = "report html xml json combine erase lcov"},
    {.programs = "pip pip3",
     .options = "-q -U -o -v -l --upgrade --pre --no-deps --no-cache-dir --force-reinstall --outdated "
                "--format=% --local "
                "--user --not-required --uptodate --disable-pip-version-check --verbose --files --no-input "
                "--upgrade-strategy=% "
                "--only-binary= --require-virtualenv --all --exclude=% --no-warn-script-location "
                "--break-system-packages",
     .operands = "^",
     .subcommands = "list show freeze check index help debug inspect"},
    {.programs = "uv",
     .options = "-q -v --all-extras --frozen --locked --no-dev --dev --upgrade --outdated --depth=# "
                "--offline --group=% --extra=%",
     .subcommands = "tree version help"},
    {.programs = "poetry",
     .options = "-q -v -n --no-interaction --no-root --only=& --with=& --without=& --sync --tree --outdated "
                "--latest --all-extras --extras= --group=%",
     .subcommands = "show check version about env"},
    {.programs = "npm-script",  // what a script of package.json, composer.json and the like usually takes
     .options = "--watch --watchAll --coverage --ci --silent --bail? --runInBand --updateSnapshot --fix "
                "--testNamePattern= --testPathPattern= --grep= --maxWorkers=% --testTimeout=# --timeout=# "
                "--port=# --host? "
                "--host=% --mode=% --production --prod --development --passWithNoTests "
                "--reporter=default|verbose|dot|json|spec|min|list|line|tap "
                "--run --open --ui --changed --onlyChanged --detectOpenHandles --forceExit --expand --check "
                "--write --noEmit "
                "--max-warnings=# --quiet --cache --force --clean --minify --sourcemap --strict --single-run "
                "--configuration=% "
                "-t= -g= -u -w -i -b -o -p=# -v -q -f=% -s -x -k= --project=% --headed --workers=# "
                "--retries=# --shard= "
                "--list --only-changed --last-failed --debug --no-cache --stats --profile --progress"},
    {.programs = "npm",
     .options =
         "-s -w= -ws -d -D -S -E -O -B -P --silent --if-present --workspace= --workspaces "
         "--include-workspace-root "
         "--save --save-dev --save-exact --save-optional --save-peer --legacy-peer-deps --omit=% --include=% "
         "--ignore-scripts --prefer-offline --offline --production --audit-level=% --depth=# --all --long "
         "--parseable "
         "--fund --audit --package-lock-only --foreground-scripts --loglevel=% --force --watch=false "
         "--strict-peer-deps",
     .subcommands = "test t tst run run-script rum start stop restart ls list ll la outdated audit view info "
                    "show why explain "
                    "ping search help root bin fund doctor whoami",
     .rest = "npm-script"},
    {.programs = "pnpm yarn",
     .options =
         "-r -s -F= -w -D -E -P -W -R --recursive --filter= --workspace-root --silent --if-present "
         "--parallel --stream "
         "--frozen-lockfile --prefer-offline --offline --save-dev --dev --exact --prod --production "
         "--depth=# --long "
         "--watch --watchAll --coverage --ci --bail? --runInBand -i --updateSnapshot -u --fix "
         "--testNamePattern= -t= "
         "--grep= -g= --mode=% --port=# --host? --noEmit --check --write --immutable --inline-builds "
         "--max-warnings=# --aggregate-output --workspace-concurrency=# --resume-from=% --ignore-scripts",
     .subcommands =
         "test t run run-script start ls list ll la outdated audit view info show why search help root bin "
         "licenses store doctor build lint dev format typecheck check workspace",
     .rest = "npm-script"},
    {.programs = "node nodejs",
     .options =
         "-v --test --test-only --check -c --no-warnings --trace-warnings --trace-deprecation "
         "--trace-uncaught "
         "--enable-source-maps --experimental-strip-types --experimental-vm-modules --max-old-space-size=# "
         "--test-name-pattern= --test-concurrency=# --test-reporter=spec|tap|dot|junit|lcov --test-timeout=# "
         "--experimental-test-coverage --no-deprecation --stack-trace-limit=# --unhandled-rejections=% "
         "--expose-gc "
         "--test-force-exit --test-skip-pattern= --trace-exit",
     .script = true},
    {.programs = "deno",
     .options = "--check --fix --watch --coverage --fail-fast --parallel --filter= --ignore= --doc "
                "--no-check --cached-only",
     .subcommands = "test check lint fmt info doc help types"},
    {.programs = "bun",
     .options = "--watch --coverage --bail? --timeout=# -t= --only --todo --rerun-each=# --frozen-lockfile "
                "--production",
     .subcommands = "test pm outdated"},
    {.programs = "tsc",
     .options =
         "-w -b -v -p=.|tsconfig*.json|./tsconfig*.json -t=% -m=% --noEmit --watch --build --strict "
         "--skipLibCheck "
         "--pretty --listFiles --listFilesOnly --traceResolution --extendedDiagnostics --diagnostics --init "
         "--showConfig --noImplicitAny --esModuleInterop --incremental --declaration --emitDeclarationOnly "
         "--sourceMap --removeComments --noUnusedLocals --noUnusedParameters --noEmitOnError --allowJs "
         "--checkJs "
         "--resolveJsonModule --target=% --module=% --jsx=% --lib=& --moduleResolution=% "
         "--preserveWatchOutput "
         "--project=.|tsconfig*.json|./tsconfig*.json --force --clean --isolatedModules --explainFiles"},
    {.programs = "jest vitest",
     .options =
         "-b -o -u -i -t= -w=% -f -e --watch --watchAll --coverage --ci --silent --bail? --bail=# "
         "--onlyChanged "
         "--updateSnapshot --update --testNamePattern= --testPathPattern= --testPathPatterns= "
         "--testPathIgnorePatterns= "
         "--runInBand --maxWorkers=% --maxWorkers=# --passWithNoTests --detectOpenHandles --forceExit "
         "--listTests "
         "--colors --testTimeout=# --findRelatedTests --onlyFailures --showSeed --randomize --changedSince= "
         "--clearCache --debug --expand --run --ui --globals --retry=# --mode=% --logHeapUsage --shard= "
         "--changed "
         "--allowOnly --typecheck --related --errorOnDeprecated --openHandlesTimeout=# "
         "--reporter=default|verbose|dot|json|junit|tap|tap-flat|basic|hanging-process "
         "--reporters=default|summary|github-actions"},
    {.programs = "mocha",
     .options = "-g= -f= -i -b -t=# -s=# -w -p -j=# -c -R=spec|dot|min|list|tap|json|nyan|progress --grep= "
                "--fgrep= --invert --bail "
                "--timeout=# --slow=# --reporter=spec|dot|min|list|tap|json|nyan|progress --recursive "
                "--watch --parallel "
                "--jobs=# --forbid-only --forbid-pending --full-trace --check-leaks --exit --sort "
                "--retries=# --async-only "
                "--diff --inline-diffs"},
    {.programs = "playwright cypress",
     .options = "-g= -u -x -j=# -p=& --headed --grep= --project=& --workers=# --retries=# --shard= --list "
                "--ui --debug "
                "--update-snapshots --last-failed --only-changed? --timeout=# --browser=% --headless --spec= "
                "--serial --tap "
                "--reporter=list|line|dot|html|json|junit|github|spec|text|lcov|text-summary "
                "--max-failures=# --repeat-each=#",
     .subcommands = "test show-report run verify info version report"},
    {.programs = "eslint eslint_d",
     .options =
         "-f=stylish|compact|json|unix|tap|junit --fix --fix-dry-run --fix-type=& --max-warnings=# --ext=& "
         "--ext= "
         "--ignore-pattern= --cache --no-eslintrc --no-inline-config --report-unused-disable-directives "
         "--format=stylish|compact|json|unix|tap|junit --debug --env=& --global= --rule= "
         "--no-error-on-unmatched-pattern --no-warn-ignored --stdin --stdin-filename= --pass-on-no-patterns"},
    {.programs = "prettier",
     .options = "-c -w -l -u --check --write --list-different --ignore-unknown --single-quote --tab-width=# "
                "--print-width=# "
                "--trailing-comma=% --end-of-line=% --log-level=% --loglevel=% --cache --no-config "
                "--use-tabs --no-semi "
                "--bracket-same-line --arrow-parens=% --prose-wrap=% --stdin-filepath= --ignore-path= "
                "--no-editorconfig "
                "--parser=typescript|babel|css|scss|less|json|json5|markdown|html|vue|yaml|graphql|mdx|flow"},
    {.programs = "biome",
     .options = "--write --fix --unsafe --apply --changed --staged --max-diagnostics=# --diagnostic-level=% "
                "--since= "
                "--error-on-warnings --no-errors-on-unmatched --files-ignore-unknown=% --stdin-file-path=",
     .subcommands = "check lint format ci version rage explain"},
    {.programs = "stylelint markdownlint markdownlint-cli2 standard xo htmlhint",
     .options = "-q -f=json|string|compact|verbose|unix --fix --cache --quiet --max-warnings=# "
                "--allow-empty-input --ignore-pattern= "
                "--formatter=json|string|compact|verbose|unix"},
    {.programs = "vite next nuxt astro svelte-kit svelte-check webpack rollup parcel turbo nx ng",
     .options =
         "-w -m=% -p=# --watch --mode=% --port=# --host? --progress --minify --sourcemap --strictPort --open "
         "--force "
         "--profile --turbo --turbopack --stats --prod --configuration=% --filter= --no-cache --parallel? "
         "--parallel=# "
         "--continue --projects=& --target=& --targets=& --skip-nx-cache --threshold=% --output-logs=%",
     .subcommands =
         "build dev lint preview check sync optimize serve test info graph affected show run run-many"},
    {.programs = "go",
     .options =
         "-v -x -n -a -i -race -msan -cover -short -json -failfast -benchmem -trimpath -work -c -m -u -t "
         "-all -e "
         "-run= -bench= -count=# -timeout=# -parallel=# -cpu= -coverpkg= -covermode=% -tags=& -p=# -mod=% "
         "-benchtime=# "
         "-shuffle=% -skip= -list= -fuzz=% -fuzztime=# -vet=% -buildvcs=% -f= -coverprofile=~ -memprofile=~ "
         "-cpuprofile=~ -o=~ -compat=# -ldflags=link -asan -fullpath -diff -src -cmd -deps -test -versions",
     .subcommands = "build test vet fmt list mod version doc env help fix clean work",
     .single_dash = true},
    {.programs = "gofmt goimports", .options = "-l -d -s -w -e -local= -format-only", .single_dash = true},
    {.programs = "staticcheck revive",
     .options = "-checks= -f=% -formatter=% -tests=% -exclude=",
     .single_dash = true},
    {.programs = "golangci-lint",
     .options =
         "-v -E=& -D=& --fix --timeout=# --enable=& --disable=& --fast --new --new-from-rev= --out-format=% "
         "--issues-exit-code=# --max-issues-per-linter=# --max-same-issues=# --enable-all --disable-all "
         "--tests? "
         "--build-tags=& -checks= -f=% -formatter=% --presets=& --allow-parallel-runners",
     .subcommands = "run linters version help fmt"},
    {.programs = "cargo",
     .options =
         "-q -v -vv -r -h -V -p= -F= -j=# --release --lib --bins --bin= --example= --examples --test= "
         "--tests --bench= "
         "--benches --all-targets --workspace --all --package= --exclude= --features= --all-features "
         "--no-default-features --target=% --jobs=# --profile=% --message-format=& --color=% --locked "
         "--offline "
         "--frozen --no-run --no-fail-fast --doc --keep-going --fix --allow-dirty --allow-staged --no-deps "
         "--document-private-items --check --depth=# --edges=& --invert= --duplicates --prefix=% --format= "
         "--format-version=# --ignore-rust-version --timings --precise= --aggressive --recursive --limit=# "
         "-i= -e=& -d "
         "-E= -P=% --partition= --retries=# --nocapture --no-capture --run-ignored=% --test-threads=#",
     .subcommands =
         "build b test t check c clippy fmt doc d tree metadata clean fetch update search version help bench "
         "verify-project pkgid locate-project nextest audit deny machete outdated udeps expand",
     .rest = "cargo-test"},
    {.programs = "cargo-test",  // for the test harness, rustc's lints and rustfmt
     .options =
         "--nocapture --no-capture --ignored --include-ignored --exact --list --show-output --test-threads=# "
         "--skip= "
         "--format=% --test --bench --check -D= -W= -A= -F= -q -l --report-time --shuffle --edition=%"},
    {.programs = "rustfmt", .options = "-l -q -v --check --edition=% --emit=% --backup --files-with-diff"},
    {.programs = "rustup", .options = "-v -q", .subcommands = "show check which doc help"},
    {.programs = "perl", .options = "-w -c -v -t -T -W -X -V", .script = true},
    {.programs = "ruby", .options = "-w -c -v", .script = true},
    {.programs = "php", .options = "-l -v -m -i -n -q", .script = true},
    {.programs = "lua luajit", .options = "-v -W", .script = true},
    {.programs = "java",
     .options = "-version -ea -enableassertions -Xmx*% -Xms*% -Xss*% -showversion --list-modules -server "
                "-XshowSettings",
     .single_dash = true,
     .script = true},
    {.programs = "javac",
     .options = "-d=@ -source=# -target=# --release=# -release=# -Xlint -Xlint:all -Xlint:deprecation "
                "-Xlint:unchecked -g -encoding=% "
                "-deprecation -parameters -nowarn -Werror -proc:none -verbose",
     .single_dash = true},
    {.programs = "dotnet",
     .options = "-c=% -f=% -v=% -r=% --configuration=% --framework=% --verbosity=% --no-restore --no-build "
                "--filter= --nologo "
                "-nologo --logger=trx|html|junit --runtime=% --no-incremental --no-dependencies --blame "
                "--list-tests "
                "--outdated --include-transitive --verify-no-changes --collect=XPlat*|Code*",
     .operands = "@",
     .subcommands = "build test restore clean list format help sln --info"},
    {.programs = "swift",
     .options = "-c=% -v -q --configuration=% --filter= --skip= --parallel --product= --target= "
                "--enable-code-coverage --list-tests "
                "--show-bin-path --enable-test-discovery --num-workers=#",
     .subcommands = "build test"},
    {.programs = "rspec",
     .options = "-f=documentation|doc|d|p|progress|json|j|html|h -e= -t= -b -n -p?# "
                "--format=documentation|doc|d|p|progress|json|j|html|h "
                "--example= --tag= --fail-fast? --backtrace --order=% --seed=# --only-failures "
                "--next-failure --profile? --tty "
                "--fail-if-no-examples --force-color"},
    {.programs = "rubocop",
     .options =
         "-a -A -D -L -l -P -S -E -f=simple|progress|json|clang|emacs|quiet|offenses|github --autocorrect "
         "--autocorrect-all "
         "--auto-correct --auto-correct-all --only= --except= "
         "--format=simple|progress|json|clang|emacs|quiet|offenses|github --lint --fail-level=% --parallel "
         "--display-cop-names --display-only-fail-level-offenses --force-exclusion --list-target-files "
         "--fail-fast "
         "--no-server --extra-details --safe --auto-gen-config --disable-pending-cops --display-time"},
    {.programs = "rake",
     .options = "-T -n -q -s -t -m -P -W -A -v -j=# --trace --tasks --jobs=# --prereqs --all --multitask"},
    {.programs = "rails",
     .options =
         "-v -b -f -n= -e=% --backtrace --fail-fast --name= --verbose -c= -g= --expanded --controller=",
     .subcommands =
         "test test:all test:system routes stats about notes db:migrate db:migrate:status zeitwerk:check"},
    {.programs = "bundle bundler",
     .options = "--outdated --paths --parseable --strict --groups --only-explicit --jobs=# --retry=# --local "
                "--quiet",
     .subcommands = "check list show info outdated licenses version help"},
    {.programs = "phpunit pest",
     .options = "--filter= --testdox --colors? --colors=% --group=& --exclude-group=& --stop-on-failure "
                "--stop-on-error "
                "--testsuite=& -v --debug --list-tests --list-groups --coverage-text --no-coverage "
                "--order-by=& --parallel "
                "--display-deprecations --display-warnings --fail-on-warning --do-not-cache-result --compact "
                "--dirty"},
    {.programs = "phpstan psalm php-cs-fixer phpcs phpcbf pint",
     .options = "-l=% -v -q -s -n -p --level=% --no-progress --error-format=% --memory-limit=# --dry-run "
                "--diff --test --standard=PSR*|PSR1|PSR2|PSR12 "
                "--report=% --extensions=& --ignore= --show-info=% --no-interaction --ansi --no-ansi "
                "--allow-risky=%"},
    {.programs = "composer",
     .options =
         "-q -v -n -D -o -a -t -l -i --no-interaction --no-dev --direct --tree --latest --outdated --all "
         "--format=% --strict "
         "--no-check-publish --no-scripts --no-progress --prefer-dist --optimize-autoloader --ansi --no-ansi",
     .subcommands = "show info outdated validate why depends why-not licenses check-platform-reqs diagnose "
                    "status audit about "
                    "search suggests fund"},
    {.programs = "mix",
     .options = "--trace --cover --failed --stale --only= --exclude= --include= --seed=# --max-failures=# "
                "--slowest=# --force "
                "--warnings-as-errors --check-formatted --partitions=# --strict --all --check-equivalent",
     .subcommands = "test compile format deps deps.tree credo dialyzer help hex.info hex.outdated phx.routes "
                    "ecto.migrations"},
    {.programs = "dart flutter",
     .options = "-v -d=% -n= -j=# -r=% --fatal-infos --fatal-warnings --set-exit-if-changed --name= "
                "--plain-name= --coverage "
                "--concurrency=# --reporter=% --no-pub --debug --release --profile --suppress-analytics",
     .subcommands = "analyze test format doctor devices build fix info help"},
    {.programs = "stack cabal",
     .options = "-v -j=# --fast --test --bench --file-watch --haddock --no-run-tests --no-run-benchmarks "
                "--pedantic --enable-tests "
                "--enable-benchmarks --test-show-details=%",
     .subcommands = "build test bench haddock path list info ls check"},
    {.programs = "zig",
     .options = "-Doptimize=Debug|ReleaseSafe|ReleaseFast|ReleaseSmall --summary=% --check --color=%",
     .subcommands = "build test fmt version env targets ast-check",
     .single_dash = true},
};

}  // namespace

std::span<const ArgumentRow> detail::language_arguments() { return kLanguages; }

}  // namespace helve::shell
