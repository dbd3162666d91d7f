#!/usr/bin/env bash
# Builds the Dockerfile and runs the image with tight security settings: as an ordinary user without
# capabilities, on a read-only root file system, with a volume at /data. This requires no image registry:
# buildah builds in a chroot, and a Debian from debootstrap with Node.js from npm replaces the base image.
#
# Checks, with the embedded PostgreSQL:
#   1. The image starts, its HEALTHCHECK passes, a first link redirects, and commands work.
#   2. Nothing outside /data and /tmp can be written.
#   3. After SIGKILL of all processes, it starts again on the same volume, with the link and its click.
#   4. After SIGTERM, it exits with code 0 within 10 s.
#
# Requirements: Linux on x64 or arm64, root, buildah, debootstrap, jq, curl, a Debian mirror, the npm registry,
# and 5 GB in TMPDIR.
#
# Settings, with their defaults:
#   PORT    the port of the service: 3000
#   MIRROR  the Debian mirror: the one that apt uses on this machine
#   BASE    the root folder of an existing Debian: none, which creates a new one
set -Eeuo pipefail
if [ $# -gt 0 ]; then
  sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
  [ "$1" = --help ] || [ "$1" = -h ] && exit
  echo "$0: unknown argument $1" >&2
  exit 1
fi
trap 'echo "line $LINENO: code $?" >&2' ERR

repository=$(cd "$(dirname "$0")/.." && pwd)
port=${PORT:-3000}
base_image=$(sed -n '1s/^FROM //p' "$repository/Dockerfile")
suite=bookworm
service=

main() {
  [ "$(id -u)" = 0 ] || fail 'run this script as root'
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/brevis-image-XXXXXX")
  export CONTAINERS_STORAGE_CONF=$scratch/storage.conf CONTAINERS_REGISTRIES_CONF=$scratch/registries.conf
  printf '[storage]\ndriver = "vfs"\nrunroot = "%s"\ngraphroot = "%s"\n' "$scratch/run" "$scratch/images" \
    >"$CONTAINERS_STORAGE_CONF"
  echo 'unqualified-search-registries = ["docker.io"]' >"$CONTAINERS_REGISTRIES_CONF"
  trap clean_up EXIT
  make_base
  build_image
  extract_image
  try_image
  echo 'ok'
}

clean_up() {
  # The service runs as another user, so it does not exit with its parent.
  if [ -n "$service" ]; then kill -9 $(first_process) 2>/dev/null || true; fi
  umount -R "$scratch/root" 2>/dev/null || true
  rm -rf --one-file-system "$scratch"
}

# Creates a base image with the same content: Debian, the user `node`, and Node.js with npm in /usr/local.
make_base() {
  local root=$scratch/base mirror major npm
  if [ -n "${BASE:-}" ]; then
    cp -a "$BASE" "$root"
  else
    mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' "Codename: $suite" | sort -u | sed -n 1p)}
    echo "debootstrap: Debian $suite"
    debootstrap --variant=minbase --include=ca-certificates,libatomic1 "$suite" "$root" ${mirror:+"$mirror"} \
      >"$scratch/log" 2>&1 || fail "$(tail -n 5 "$scratch/log")"
  fi
  major=$(sed 's/^node:\([0-9]*\).*/\1/' <<<"$base_image")
  (cd "$scratch" && npm pack --silent "node-linux-$(node_architecture)@$major" >/dev/null && tar xzf node-linux-*.tgz)
  cp "$scratch/package/bin/node" "$root/usr/local/bin/node"
  npm=$(npm root --global 2>/dev/null)/npm
  mkdir -p "$root/usr/local/lib/node_modules"
  rm -rf "$root/usr/local/lib/node_modules/npm"
  cp -a "$npm" "$root/usr/local/lib/node_modules/npm"
  ln -sfn ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  chroot "$root" useradd --uid 1000 --non-unique --create-home --shell /bin/bash node
  # Uses the certificates and the npm registry of this machine.
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then cp "$NODE_EXTRA_CA_CERTS" "$root/etc/ssl/certs/ca-certificates.crt"; fi
  {
    echo "registry=$(npm config get registry 2>/dev/null)"
    echo 'cafile=/etc/ssl/certs/ca-certificates.crt'
  } >"$root/root/.npmrc"
  local container
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$root" / >/dev/null
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  buildah commit --quiet --rm "$container" "docker.io/library/$base_image" >/dev/null
  rm -rf "$root"
  echo "base: Debian $suite in place of $base_image"
}

node_architecture() {
  case $(uname -m) in
    x86_64) echo x64 ;;
    aarch64) echo arm64 ;;
    *) fail "no Node.js for $(uname -m)" ;;
  esac
}

build_image() {
  local started_at=$SECONDS
  buildah build --isolation chroot --network host --pull=never --format docker --tag brevis \
    "$repository" >"$scratch/log" 2>&1 || fail "$(tail -n 30 "$scratch/log")"
  echo "built in $((SECONDS - started_at)) s"
}

# Extracts the root file system and the settings of the image.
extract_image() {
  local container
  container=$(buildah from --pull=never brevis)
  buildah inspect --type image brevis >"$scratch/image.json"
  mkdir "$scratch/root" "$scratch/data"
  cp -a "$(buildah mount "$container")/." "$scratch/image"
  buildah rm "$container" >/dev/null
  chown 1000:1000 "$scratch/data"
  mapfile -t environment < <(jq -r '.Docker.config.Env[]' "$scratch/image.json")
  mapfile -t start < <(jq -r '.Docker.config.Cmd[]' "$scratch/image.json")
  mapfile -t health < <(jq -r '.Docker.config.Healthcheck.Test[1:][]' "$scratch/image.json")
  user=$(jq -r .Docker.config.User "$scratch/image.json")
  directory=$(jq -r .Docker.config.WorkingDir "$scratch/image.json")
  echo "image: $(du -sm "$scratch/image" | cut -f1) MB, user $user, $(jq -c .Docker.config.Cmd "$scratch/image.json")"
  mount --bind "$scratch/image" "$scratch/root"
  mount -o remount,ro,bind "$scratch/root"
  mount --bind "$scratch/data" "$scratch/root/data"
  mount -t tmpfs -o mode=1777 tmpfs "$scratch/root/tmp"
  mount -t tmpfs -o mode=755 tmpfs "$scratch/root/dev"
  mkdir -m 1777 "$scratch/root/dev/shm"
  mount -t tmpfs -o mode=1777 tmpfs "$scratch/root/dev/shm"
  local device
  for device in null zero random urandom; do
    touch "$scratch/root/dev/$device"
    mount --bind "/dev/$device" "$scratch/root/dev/$device"
  done
  ln -s /proc/self/fd "$scratch/root/dev/fd"
}

# Runs a command next to the service, as the same user and without capabilities.
in_image() {
  nsenter --target "$(first_process)" --mount --pid -- chroot "$scratch/root" /usr/bin/env -i "${environment[@]}" PORT="$port" \
    setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs --bounding-set=-all \
    sh -c "cd $directory && exec \"\$@\"" sh "$@"
}

# Starts the image in its own process namespace, and waits until it is healthy.
start_image() {
  local started_at=$SECONDS
  unshare --mount --pid --fork --kill-child bash -c "
    scratch='$scratch' port='$port' user='$user' directory='$directory'
    environment=($(printf '%q ' "${environment[@]}"))
    mount -t proc proc '$scratch/root/proc'
    exec chroot \"\$scratch/root\" /usr/bin/env -i \"\${environment[@]}\" PORT=\"\$port\" \
      setpriv --reuid \"\$user\" --regid \"\$user\" --clear-groups --no-new-privs --bounding-set=-all \
      sh -c 'cd $directory && exec \"\$@\"' sh $(printf '%q ' "${start[@]}")
  " >"$scratch/service.log" 2>&1 &
  service=$!
  until in_image "${health[@]}" 2>/dev/null; do
    kill -0 "$service" 2>/dev/null || fail "the service exited: $(cat "$scratch/service.log")"
    [ $((SECONDS - started_at)) -lt 120 ] || fail "not healthy after 120 s: $(cat "$scratch/service.log")"
    sleep 0.3
  done
  main_process=$(first_process)
  echo "healthy after $((SECONDS - started_at)) s"
}

# Prints the ID of the image's first process, as seen from outside of its namespace.
first_process() {
  tr -d ' ' <"/proc/$service/task/$service/children"
}

try_image() {
  start_image
  local curl short
  until curl=$(grep '^curl ' "$scratch/service.log"); do sleep 0.2; done
  short=$(sh -c "$curl" | sed -n 's/.*"shorturl":"\([^"]*\)".*/\1/p')
  visit "$short"
  [ "$(awk '/^Uid:/ {print $2}' "/proc/$main_process/status")" = 1000 ] || fail 'the service runs as another user'
  [ "$(awk '/^CapEff:/ {print $2}' "/proc/$main_process/status")" = 0000000000000000 ] || fail 'the service has capabilities'
  in_image bin/brevis account list >"$scratch/accounts" || fail 'the command does not work'
  grep -q owner@example.com "$scratch/accounts" || fail "no account: $(cat "$scratch/accounts")"
  if in_image sh -c 'touch /app/x || touch /home/node/x || touch /etc/x' 2>/dev/null; then fail 'the root file system is writable'; fi

  kill -9 "$main_process"
  wait "$service" || true
  echo 'killed'
  start_image
  visit "$short"
  local key=${curl#*Bearer } clicks
  key=${key%%[\'\"]*}
  for _ in $(seq 100); do
    clicks=$(curl -s "http://127.0.0.1:$port/api/url/1" -H "Authorization: Bearer $key" | jq -r .data.clicks)
    [ "$clicks" = 2 ] && break
    sleep 0.2
  done
  [ "$clicks" = 2 ] || fail "counted $clicks clicks instead of 2"

  local started_at=$SECONDS code=0
  kill -TERM "$main_process"
  wait "$service" || code=$?
  [ "$code" = 0 ] || fail "the service exited with code $code: $(tail "$scratch/service.log")"
  [ $((SECONDS - started_at)) -le 10 ] || fail "the service took $((SECONDS - started_at)) s to stop"
  service=
  echo "stopped in $((SECONDS - started_at)) s"
}

visit() {
  local reply
  reply=$(curl -s -o /dev/null -w '%{http_code} %{redirect_url}' "$1")
  [ "$reply" = '302 https://example.com/' ] || fail "the link returned: $reply"
}

fail() {
  echo "$*" >&2
  exit 1
}

main
