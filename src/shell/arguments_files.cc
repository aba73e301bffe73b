// Harmless arguments of programs for files, text, archives and the network.
#include "shell/arguments.h"

namespace helve::shell {
namespace {

constexpr ArgumentRow kFiles[] = {
    {.programs = "sort",
     .options = "-b -d -f -g -h -i -M -n -R -r -V -c -C -m -s -u -z -k= -t= -S=# --parallel=# --key= "
                "--field-separator= "
                "--buffer-size=# --unique --reverse --numeric-sort --human-numeric-sort --version-sort "
                "--general-numeric-sort "
                "--ignore-case --ignore-leading-blanks --random-sort --month-sort --check --stable --merge "
                "--zero-terminated --dictionary-order --files0-from= --debug"},
    {.programs = "shuf",
     .options = "-e -r -z -n=# -i= --echo --repeat --zero-terminated --head-count=# --input-range="},
    {.programs = "iconv", .options = "-c -l -s -f= -t= --from-code= --to-code= --list"},
    {.programs = "tree",
     .options = "-a -d -f -i -l -p -s -u -g -h -D -F -C -n -r -t -c -U -x -J -X -N -q -v -S -A -L=# -I= -P= "
                "--dirsfirst "
                "--noreport --prune --gitignore --du --si --filelimit=# --sort=% --charset=% --inodes "
                "--device --matchdirs "
                "--ignore-case --fromfile"},
    {.programs = "split csplit",
     .options =
         "-l=# -b=# -C=# -n= -a=# -d -x -e -k -s -z -q --lines=# --bytes=# --number= --suffix-length=# "
         "--numeric-suffixes? --additional-suffix=% --elide-empty-files"},
    {.programs = "xxd",
     .options = "-a -b -C -d -e -E -i -p -u -v -c=# -g=# -l=# -n=% -o=# -s=# -ps -plain -R=%",
     .most_operands = 1},
    {.programs = "file",
     .options = "-b -h -i -I -k -L -N -n -p -r -s -v -z -Z -0 -F= --brief --mime --mime-type --mime-encoding "
                "--no-pad --keep-going --dereference --extension"},
    {.programs = "yq",
     .options = "-r -e -n -y -Y -P -C -M -j -N -0 -c -S -o=% -p=% -I=# --raw-output --output-format=% "
                "--input-format=% "
                "--prettyPrint --no-colors --colors --null-input --exit-status --indent=# --tojson --no-doc "
                "--arg= --argjson="},
    {.programs = "man",
     .options = "-k -f -w -W -a -K -s= -S= --path --where --all --apropos --whatis --sections="},
    {.programs = "tar bsdtar gtar",
     .options =
         "-c -x -t -v -z -j -J -a -k -m -p -h -O -r -u -A -W -d -l -S -B -s -o -w -n -i -U -Z -q -f=: -C=@ "
         "-T= -X= -b=# "
         "--create --extract --get --list --verbose --gzip --gunzip --bzip2 --xz --zstd --lzma "
         "--auto-compress "
         "--append --update --diff --compare --file=: --directory=@ --exclude= --exclude-from= --exclude-vcs "
         "--exclude-vcs-ignores --strip-components=# --wildcards --anchored --no-anchored --ignore-case "
         "--numeric-owner --owner= --group= --mode= --mtime= --sort=% --totals --transform= --xform= "
         "--show-transformed-names --keep-old-files --skip-old-files --overwrite --dereference --null "
         "--format=% "
         "--files-from= --same-owner --same-permissions --preserve-permissions --to-stdout --touch "
         "--occurrence? --block-number --full-time --newer= --utc --sparse --recursion --one-file-system",
     .operands = ":"},
    {.programs = "cpio", .options = "-i -t -v -d -m -u -n -p -0 -a -c -L --list --extract --null --quiet"},
    {.programs = "zip",
     .options = "-r -q -v -9 -j -y -u -X -m -D -0 -1 -6 -l -e -FS -d -f -g -x -i -s=# --recurse-paths "
                "--junk-paths --exclude "
                "--include --symlinks --update --filesync --delete"},
    {.programs = "unzip zipinfo", .options = "-o -q -qq -l -v -t -n -p -j -a -C -L -u -f -z -Z -1 -x -d=@"},
    {.programs = "7z 7za 7zr 7zz",
     .options = "-y -r -slt -bd -ssc -mx=#",
     .subcommands = "l t x e a u h i b"},
    {.programs = "zstd unzstd zstdcat",
     .options = "-d -c -k -f -q -v -r -t -l -T=# -z -1 -3 -9 -19 --rm --keep --ultra"},
    {.programs = "rsync",
     .options =
         "-a -v -z -r -l -p -t -g -o -D -h -n -P -c -u -x -H -A -X -S -W -i -q -R -L -k -K -O -m -E -C -4 -6 "
         "-f= "
         "--archive --compress --recursive --links --perms --times --group --owner --devices --specials "
         "--human-readable --dry-run --progress --partial --checksum --update --delete --delete-before "
         "--delete-after --delete-during --delete-delay --delete-excluded --exclude= --include= "
         "--exclude-from= "
         "--include-from= --filter= --stats --info=& --itemize-changes --existing --ignore-existing "
         "--size-only "
         "--max-size=# --min-size=# --bwlimit=# --timeout=# --copy-links --copy-unsafe-links --safe-links "
         "--relative "
         "--hard-links --acls --xattrs --sparse --inplace --whole-file --chmod= --prune-empty-dirs "
         "--one-file-system --omit-dir-times --numeric-ids --port=# --ipv4 --ipv6 --list-only --force "
         "--backup"},
    {.programs = "scp sftp", .options = "-r -p -q -C -v -3 -4 -6 -B -O -s -T -a -P=# -l=# -i="},
    {.programs = "ssh", .options = "-v -q -4 -6 -T -t -n -N -C -a -x -p=# -l=% -i="},
    {.programs = "curl",
     .options =
         "-s -S -L -f -k -I -v -i -g -G -4 -6 -N -# -a -0 -2 -3 -X=% -H= -d= -A= -e= -u= -m=# -x= -r= -F= "
         "-y=# -Y=# "
         "--silent --show-error --location --fail --fail-with-body --head --include --insecure --get "
         "--globoff "
         "--request=% --header= --data= --data-raw= --data-binary= --data-urlencode= --json= --form= "
         "--user-agent= "
         "--referer= --user= --max-time=# --connect-timeout=# --retry=# --retry-delay=# --retry-connrefused "
         "--retry-all-errors --compressed --url= --http1.1 --http2 --http3 --ipv4 --ipv6 --no-progress-meter "
         "--progress-bar --range= --no-buffer --tlsv1.2 --tlsv1.3 --cacert= --proxy= --resolve= "
         "--max-redirs=# "
         "--oauth2-bearer= --anyauth --basic --limit-rate=# --max-filesize=# --path-as-is "
         "--location-trusted"},
    {.programs = "wget wget2",
     .options =
         "-q -c -S -d -v -4 -6 -N -b? -t=# -T=# -nv -nc -np -nd -r -l=# -k -p -E -H -A= -R= -D= --spider "
         "--server-response --timeout=# --tries=# --no-check-certificate --content-disposition --continue "
         "--header= "
         "--user-agent= --max-redirect=# --show-progress --no-verbose --no-clobber --recursive --level=# "
         "--no-parent --mirror --convert-links --page-requisites --accept= --reject= --timestamping --wait=# "
         "--limit-rate=# --https-only --inet4-only --inet6-only"},
    {.programs = "patch",
     .options =
         "-p=# -R -N -f -s -u -l -t -c -n -E -T -Z -i= --strip=# --forward --reverse --force --unified "
         "--input= --ignore-whitespace --batch"},
    {.programs = "nc ncat netcat", .options = "-z -v -n -4 -6 -u -t -k -N -w=# -p=# -i=#"},
    {.programs = "ip",
     .options = "-4 -6 -s -d -j -p -c -o -br -brief -json -details -statistics -family=%",
     .single_dash = true},
    {.programs = "openssl",
     .options = "-in= -noout -text -subject -issuer -dates -enddate -startdate -fingerprint -sha1 -sha256 "
                "-sha512 -md5 "
                "-inform=% -outform=% -connect= -servername= -showcerts -hex -base64 -serial -pubkey "
                "-modulus -checkend=# "
                "-x509 -v -a -brief -r -noenc -nodes -purpose -hash -ext= -nameopt= -verify_return_error "
                "-tls1_2 -tls1_3",
     .subcommands =
         "x509 s_client version dgst req rsa dsa ec pkey verify ciphers crl asn1parse sha1 sha256 sha512 "
         "md5 rand enc base64 list prime errstr pkcs7 pkcs8 pkcs12 ocsp passwd dhparam ecparam speed",
     .single_dash = true},
    {.programs = "pandoc",
     .options =
         "-f=% -t=% -s -r=% -w=% --from=% --to=% --standalone --toc --table-of-contents --wrap=% --columns=# "
         "--number-sections --mathjax --katex --list-input-formats --list-output-formats --toc-depth=# "
         "--strip-comments --ascii --shift-heading-level-by=#"},
    {.programs = "vi vim nvim view ex gvim vimdiff emacs nano", .options = "-R -n -d -nw -O -p"},
    {.programs = "dot neato fdp sfdp circo twopi",
     .options = "-T=% -v -q -x -y -n -G= -N= -E= -o=~ -Tpng -Tsvg -Tpdf -Tps -Tgif -Tplain"},
    {.programs = "ctags etags",
     .options = "-R -a -e -x -n -N -u -L= -I= --recurse? --languages=& --exclude= --fields= --extras= "
                "--extra= --c-kinds= "
                "--kinds-all= --append? --sort=% --tag-relative=% --totals? --list-languages --list-kinds? "
                "--c++-kinds= --python-kinds= --links=%"},
    {.programs = "xmllint",
     .options =
         "--noout --format --valid --schema= --xpath= --html --recover --nonet --huge --dtdvalid= --relaxng= "
         "--noblanks --noent --encode= --pretty=# --debug --sax --stream --wellformed"},
    {.programs = "gpg gpg2",
     .options = "-k -K --verify --list-keys --list-secret-keys --fingerprint --list-packets --list-sigs "
                "--check-sigs "
                "--with-colons --batch --keyid-format=% --list-public-keys"},
    {.programs = "ssh-keygen", .options = "-l -f= -E=% -v -F= -H"},
    {.programs = "journalctl",
     .options =
         "-f -b? -e -x -k -r -a -q -u= -n=# -o=% -p=% -t= -g= -S= -U= --unit= --lines=# --since= --until= "
         "--no-pager --follow --boot? --dmesg --reverse --output=% --priority=% --grep= --identifier= --user "
         "--system "
         "--disk-usage --list-boots --catalog --no-hostname --utc"},
    {.programs = "systemctl",
     .options = "-l -a -q -n=# -t=& --no-pager --all --full --user --system --type=& --state=& --failed "
                "--lines=# --no-legend "
                "--plain --property=& -p=& --value --recursive",
     .subcommands = "status list-units list-unit-files list-timers list-sockets list-jobs is-active "
                    "is-enabled is-failed "
                    "is-system-running show cat list-dependencies get-default"},
    {.programs = "docker podman nerdctl",
     .options =
         "-a -q -n=# -l -s -t= -i -d -p= -e= -w= -u= -it -ti -h= --all --filter= --format= --no-trunc "
         "--last=# "
         "--latest --size --tail= --since= --until= --timestamps --follow --no-stream --details --name= --rm "
         "--interactive --tty --detach --tag= --pull=% --platform= --no-cache --progress=% --target=% "
         "--build-arg= "
         "--publish= --env= --workdir= --user= --hostname= --network= --restart= --memory= --cpus=# --label= "
         "--time=# "
         "--force --services --digests --type=% --human --no-color --build --remove-orphans --no-deps --wait "
         "--memory-swap= --shm-size=#",
     .subcommands = "ps images logs inspect stats top port version info history search events diff"},
    {.programs = "docker podman nerdctl kubectl",
     .options = "-f -t -n=% -c=% -p --follow --tail=# --since= --until= --timestamps --container=% "
                "--namespace=% --previous "
                "--details --all-containers",
     .subcommands = "logs",
     .only = "logs"},
    {.programs = "docker-compose",
     .options = "-a -q -d -t -f --all --services --follow --tail= --timestamps --format=% --detach --build "
                "--no-deps "
                "--remove-orphans --no-color --wait --no-log-prefix",
     .subcommands = "ps logs config images top port version ls events"},
    {.programs = "kubectl oc",
     .options =
         "-n=% -A -o=json|yaml|wide|name|jsonpath*|custom-columns* -l= -f -w -c=% -p -L= -R --namespace=% "
         "--all-namespaces --output=json|yaml|wide|name|jsonpath*|custom-columns* --selector= --follow "
         "--watch "
         "--container=% --tail=# --since=# --previous --timestamps --show-labels --sort-by= "
         "--field-selector= "
         "--no-headers --context=% --all-containers --containers --recursive --client --ignore-not-found "
         "--limit-bytes=# --prefix --api-group= --label-columns= --show-kind --subresource=%",
     .subcommands = "get describe logs top explain api-resources api-versions version cluster-info events"},
    {.programs = "terraform tofu",
     .options =
         "-no-color -json -recursive -check -diff -input=false -lock=false -detailed-exitcode -refresh=false "
         "-refresh-only -compact-warnings -target= -var= -var-file= -out=~ -list=false -write=false "
         "-parallelism=# "
         "-destroy -raw -backend=false -upgrade",
     .subcommands = "plan validate fmt show version output graph providers get",
     .single_dash = true},
    {.programs = "helm",
     .options = "-n=% -A -a -o=% -l= --namespace=% --all-namespaces --all --output=% --selector= "
                "--revision=# --short "
                "--strict --devel --versions --max=#",
     .subcommands = "list ls status get history lint search show version"},
    {.programs = "gh",
     .options = "-q= -L=# -s=% -l= -A= -a= -S= -R= -H= -B= -t= -b= -c= -m -w -r= -d -D --jq= --limit=# "
                "--state=% --label= "
                "--author= --assignee= --search= --repo= --head= --base= --title= --body= --comments --json= "
                "--template= "
                "--draft --fill --reviewer= --milestone= --log --log-failed --watch --exit-status --branch= "
                "--workflow= "
                "--status=% --name-only --patch --required --event=% --commit= --delete-branch --squash "
                "--merge --rebase "
                "--auto --comment= --approve --request-changes --add-label= --remove-label= --notes= "
                "--verify-tag --latest",
     .subcommands = "pr issue repo run release search status label workflow gist project"},
};

}  // namespace

std::string_view detail::plain_programs() {
  return "ls dir vdir cat head tail tac nl wc cut paste join comm tr fold fmt expand unexpand rev seq echo "
         "printf true "
         "false test [ : pwd cd basename dirname realpath readlink stat du df date whoami id groups hostname "
         "uname uptime "
         "arch nproc who w users last tty printenv which whereis whatis apropos type locate md5sum sha1sum "
         "sha224sum "
         "sha256sum sha384sum sha512sum b2sum b3sum cksum sum base64 base32 basenc od hexdump hd strings cmp "
         "diff colordiff "
         "column look grep egrep fgrep zgrep jq sleep ps pgrep free vmstat lscpu lsblk lsof lsusb lspci "
         "getconf getent "
         "locale expr factor numfmt tsort pr tput clear cal bc zcat gzip gunzip bzip2 bunzip2 bzcat xz unxz "
         "xzcat lz4 "
         "readelf size c++filt mkdir rmdir touch rm cp mv ln chmod chown chgrp truncate unlink mkfifo sync "
         "mktemp "
         "kill pkill killall exit return break continue wait shellcheck hadolint yamllint codespell typos "
         "tokei "
         "exa eza lsd dust duf procs dig host nslookup ping ss netstat ifconfig gofumpt taplo dos2unix "
         "unix2dos "
         "nm-none tldr sha3sum envsubst readonly shift popd pushd dirs ulimit umask";
}

std::string_view detail::named_programs() {
  return "aws gcloud az gsutil s3cmd svn hg jj bzr brew apt apt-get apt-cache dpkg dnf yum pacman apk snap "
         "flatpak "
         "psql mysql mariadb sqlite3 mongosh redis-cli dropdb createdb createuser pg_dump mysqldump sendmail "
         "mail mutt "
         "logger notify-send tmutil open xdg-open jira glab linear slack say curlie http https httpie xh "
         "bat batcat less more most fd fdfind find rg ag ack fzf dd tee sponge m4 dc ed ftp telnet gdb lldb "
         "expect socat "
         "ldd heroku fly flyctl vercel netlify firebase supabase wrangler ffmpeg ffprobe convert magick "
         "identify gs "
         "useradd userdel usermod groupadd passwd mount umount losetup ln install-info";
}

std::span<const ArgumentRow> detail::file_arguments() { return kFiles; }

}  // namespace helve::shell
