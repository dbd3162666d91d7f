#!/usr/bin/env bash
# Runs the README's commands on a bare Debian, created by debootstrap with only Node.js 20, npm, git, curl
# and CA certificates. Each run uses a fresh clone of the last commit:
#
#   start    npm ci --omit=dev && npm start
#            expects a working link within a minute, then a clean exit
#   test     npm ci && npm test
#            expects no failures and no skipped browser tests
#   package  npx --package ./brevis-<version>.tgz brevis start
#            expects the same as start, in a separate folder
#
# Each command runs as root and as an ordinary user, in a chroot (without user namespaces, as in most
# containers) and in a separate root file system (with user namespaces).
#
# Requirements: Linux on x64 or arm64, root, debootstrap, a Debian mirror, the npm registry, and 5 GB in TMPDIR.
# PORT (default 3000) must be free. Installs the first `node` on PATH, or NODE=/path/to/node. It must be version
# 20 or newer and run without other libraries, like the builds from nodejs.org. `start` takes half a minute,
# `test` about ten minutes.
#
#   sudo scripts/try-bare-machine.sh                       # everything
#   sudo COMMANDS='start package' scripts/try-bare-machine.sh        # only the quick commands
#   sudo USERS=root ROOTS=chroot COMMANDS=test scripts/try-bare-machine.sh
#
# Settings, with their defaults:
#   SHM     the kind of /dev/shm: tmpfs (default), closed (a tmpfs that only root can write to), full (a tmpfs
#           of 64 KiB), or folder (an ordinary folder that only root can write to)
#   SUITE   the Debian release: bookworm
#   MIRROR  the Debian mirror: the one that apt uses on this machine
#   BASE    a root folder to reuse, created if missing: a temporary folder
#   FLAGS   the flags for npm ci: --ignore-scripts
#   TESTS   the arguments for npm test: none, which runs all tests
#   WITHIN  the maximum seconds until the first link works: 60
set -Eeuo pipefail
if [ $# -gt 0 ]; then
  sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
  [ "$1" = --help ] || [ "$1" = -h ] && exit
  echo "$0: unknown argument $1" >&2
  exit 1
fi
trap 'echo "line $LINENO: code $?" >&2' ERR

repository=$(cd "$(dirname "$0")/.." && pwd)
suite=${SUITE:-bookworm}
port=${PORT:-3000}
flags=${FLAGS:---ignore-scripts}

main() {
  [ "$(id -u)" = 0 ] || fail 'run this script as root'
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/brevis-bare-XXXXXX")
  # All processes have exited by then, because none outlives its namespace.
  trap 'rm -rf --one-file-system "$scratch"' EXIT
  root=${BASE:-$scratch/root}
  [ -e "$root/etc/debian_version" ] || make_root
  install_node
  tarball=$scratch/$(cd "$repository" && npm pack --silent --pack-destination "$scratch")

  local failed=0 command user kind
  for command in ${COMMANDS:-start package test}; do
    for user in ${USERS:-root tester}; do
      for kind in ${ROOTS:-chroot pivot}; do
        try "$command" "$user" "$kind" || failed=1
      done
    done
  done
  return "$failed"
}

make_root() {
  local mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' "Codename: $suite" | sort -u | sed -n 1p)}
  mkdir -p "$root"
  echo "debootstrap: Debian $suite"
  debootstrap --variant=minbase --include=ca-certificates,curl,git "$suite" "$root" ${mirror:+"$mirror"} \
    >"$scratch/log" 2>&1 || fail "$(tail -n 5 "$scratch/log")"
  chroot "$root" useradd --create-home --shell /bin/bash tester
}

# Copies Node.js, npm and additional trusted certificates from this machine.
install_node() {
  local node npm
  node=$(readlink -f "${NODE:-$(command -v node)}")
  npm=$(npm root --global 2>/dev/null)/npm
  mkdir -p "$root/usr/local/bin" "$root/usr/local/lib/node_modules"
  cp "$node" "$root/usr/local/bin/node"
  rm -rf "$root/usr/local/lib/node_modules/npm"
  cp -a "$npm" "$root/usr/local/lib/node_modules/npm"
  ln -sfn ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -sfn ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  : >"$root/etc/more-certificates.pem"
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then cp "$NODE_EXTRA_CA_CERTS" "$root/etc/more-certificates.pem"; fi
  echo "installed: Node.js $(chroot "$root" /usr/local/bin/node --version), npm $(chroot "$root" /usr/local/bin/npm --version)"
}

# Runs one command in a fresh clone and prints the result.
try() {
  local command=$1 user=$2 kind=$3 log=$scratch/log home clone started_at verdict
  home=$([ "$user" = root ] && echo /srv || echo "/home/$user")
  clone=$home/brevis
  rm -rf "${root:?}$clone" "$root$home/npm-cache"
  git -c safe.directory='*' -c advice.detachedHead=false clone --quiet --no-local "$repository" "$root$clone"
  if [ "$command" = package ]; then cp "$tarball" "$root$home/"; fi
  chroot "$root" chown -Rh "$user:$user" "$clone"
  started_at=$SECONDS
  verdict=ok
  unshare --mount --pid --fork --kill-child "$repository/scripts/try-bare-machine.sh" inside "$root" "$command" "$user" "$kind" "$clone" \
    >"$log" 2>&1 || verdict=FAILED
  printf '%-6s %-5s as %-7s in a %-7s %4d s  %s\n' \
    "$verdict" "$command" "$user" "$kind" "$((SECONDS - started_at))" "$(tail -n 1 "$log")"
  if [ "$verdict" != ok ]; then cat "$log"; fi
  rm -rf "${root:?}$clone" "$root$home/npm-cache"
  [ "$verdict" = ok ]
}

# Runs in separate namespaces as their first process, which adopts orphaned processes.
inside() {
  local root=$1 command=$2 user=$3 kind=$4 clone=$5
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  case ${SHM:-tmpfs} in
    tmpfs) mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm" ;;
    full) mount -t tmpfs -o mode=1777,size=64k tmpfs "$root/dev/shm" ;;
    closed) mount -t tmpfs -o mode=755 tmpfs "$root/dev/shm" ;;
    folder) chmod 755 "$root/dev/shm" ;;
    *) fail "SHM must be tmpfs, closed, full or folder, not $SHM" ;;
  esac
  mount -t devpts -o newinstance,ptmxmode=0666,gid=5 devpts "$root/dev/pts"
  local settings=(
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    "HOME=$([ "$user" = root ] && echo /root || echo "/home/$user")"
    "npm_config_registry=$(npm config get registry 2>/dev/null)"
    "NODE_EXTRA_CA_CERTS=/etc/more-certificates.pem"
    "npm_config_cache=$clone/../npm-cache"
    "PORT=$port" "FLAGS=$flags" "TESTS=${TESTS:-}" "WITHIN=${WITHIN:-60}"
  )
  local name
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    if [ -n "${!name:-}" ]; then settings+=("$name=${!name}"); fi
  done
  local run=(/usr/bin/env -i "${settings[@]}" /usr/sbin/runuser -u "$user" --
    /bin/bash "$clone/scripts/try-bare-machine.sh" "in_$command" "$clone")
  if [ "$kind" = chroot ]; then
    chroot "$root" "${run[@]}"
  else
    mkdir -p "$root/mnt/outside"
    cd "$root"
    pivot_root . mnt/outside
    umount -l /mnt/outside
    "${run[@]}"
  fi
}

describe_machine() {
  local namespaces=without
  if unshare --user true 2>/dev/null; then namespaces=with; fi
  echo "$(id -un), Node.js $(node --version), $namespaces user namespaces"
}

in_start() {
  cd "$1"
  # shellcheck disable=SC2086
  try_service 'npx brevis' src/main.ts "npm ci --omit=dev $FLAGS && exec npm start"
  ! grep EBADENGINE start.log command.log || fail 'npm complains about the version of Node.js'
}

# Starts the package in an otherwise empty folder. On Node.js 20, npm warns about packages that require a newer
# version. The warning is harmless, because the package brings a newer Node.js.
in_package() {
  local folder=$1/../links tarball
  rm -rf "$folder"
  mkdir "$folder"
  tarball=$(echo "$1"/../brevis-*.tgz)
  mv "$tarball" "$folder/"
  cd "$folder"
  local npx="npx --yes --package ./$(basename "$tarball")"
  $npx brevis --help >help.log 2>&1 || fail "brevis --help: $(cat help.log)"
  grep -q 'start the service' help.log || fail "the help does not list start: $(cat help.log)"
  try_service "$npx brevis" dist/cli.js "exec $npx brevis start"
  [ -d data ] || fail 'the data is not in the current folder'
}

# Starts the service with a command, follows the first link, and stops the service.
try_service() {
  local brevis=$1 program=$2 command=$3 started_at=$SECONDS curl reply short
  describe_machine
  : >start.log
  (eval "$command") >start.log 2>&1 &
  local service=$!
  until curl=$(grep '^curl ' start.log); do
    kill -0 "$service" 2>/dev/null || fail "the service exited: $(cat start.log)"
    [ $((SECONDS - started_at)) -lt "$WITHIN" ] || fail "no curl command after $WITHIN s: $(cat start.log)"
    sleep 0.2
  done
  reply=$(sh -c "$curl")
  short=$(sed -n 's/.*"shorturl":"\([^"]*\)".*/\1/p' <<<"$reply")
  reply=$(curl -s -o /dev/null -w '%{http_code} %{redirect_url}' "$short")
  [ "$reply" = '302 https://example.com/' ] || fail "the link returned: $reply"
  local after=$((SECONDS - started_at))
  $brevis account list >command.log 2>&1 || fail "$brevis: $(cat command.log)"
  local process runs_on
  process=$(pgrep_file "$program")
  runs_on=$(readlink "/proc/$process/exe")
  # Signals the service itself, like a process manager. npx would exit with the number of the signal.
  kill "$process"
  wait "$service" || fail "the service exited with code $?: $(cat start.log)"
  echo "a working link after $after s, on ${runs_on#"$PWD"/}"
}

# Prints the ID of the process that runs a file. A bare machine has no pgrep.
pgrep_file() {
  # Processes may end while they are read.
  { grep -lz "$1" /proc/[0-9]*/cmdline 2>/dev/null || true; } | sed -n '$s,/proc/\([0-9]*\)/.*,\1,p'
}

in_test() {
  cd "$1"
  describe_machine
  local code=0
  # shellcheck disable=SC2086
  (npm ci $FLAGS && npm test -- $TESTS) >test.log 2>&1 || code=$?
  grep -E 'FAIL|AssertionError|Error:|left out|are skipped' test.log || true
  ! grep EBADENGINE test.log || fail 'npm complains about the version of Node.js'
  ! grep 'The browser tests are skipped' test.log || fail 'the browser tests were skipped'
  [ "$code" = 0 ] || fail "$(tail -n 60 test.log)"
  tail -n 1 test.log
  tail -n 1 test.log | grep -Eq '^[1-9][0-9]* passed, 0 failed' || fail 'no test ran'
}

fail() {
  echo "$*" >&2
  exit 1
}

case ${1:-} in
  inside | in_start | in_package | in_test) "$@" ;;
  *) main ;;
esac
