# Sourced by the scripts of bin/ and hack/, from the top folder: installs the npm packages of package-lock.json if they
# are missing or older than it, and defines build_bundle. Says what it does on stderr; two at once wait for each other.

setup_fail() {
  echo "error: $1" >&2
  exit 1
}

# Runs a command under the checkout's lock. A lock whose owner is dead is taken over.
setup_locked() {
  until mkdir .setup.lock 2>/dev/null; do
    [ -d .setup.lock ] || setup_fail "can't write in $PWD, where the packages and the bundle belong"
    setup_owner=$(cat .setup.lock/pid 2>/dev/null) || setup_owner=
    if [ -n "$setup_owner" ] && ! kill -0 "$setup_owner" 2>/dev/null; then
      rm -rf .setup.lock
    else
      sleep 0.2
    fi
  done
  echo $$ >.setup.lock/pid
  "$@"
  setup_result=$?
  rm -rf .setup.lock
  return $setup_result
}

# Shows that something long goes on: a counter on a terminal, one line elsewhere. $1 what, the rest the command, whose
# output is shown only when it fails.
setup_step() {
  setup_what=$1
  shift
  setup_log=$(mktemp)
  setup_seconds=0
  "$@" >"$setup_log" 2>&1 &
  setup_pid=$!
  [ -t 2 ] || echo "$setup_what…" >&2
  while kill -0 $setup_pid 2>/dev/null; do
    [ -t 2 ] && printf '\r%s… %ss ' "$setup_what" $setup_seconds >&2
    sleep 1
    setup_seconds=$((setup_seconds + 1))
  done
  if wait $setup_pid; then
    [ -t 2 ] && printf '\r\033[K' >&2
    rm -f "$setup_log"
  else
    [ -t 2 ] && echo >&2
    head -n 20 "$setup_log" >&2
    rm -f "$setup_log"
    echo "error: $setup_what failed" >&2
    return 1
  fi
}

# A linked node_modules belongs to another checkout, which keeps it.
packages_missing() {
  [ ! -L node_modules ] || return 1
  [ ! -e node_modules/.installed ] || [ package-lock.json -nt node_modules/.installed ]
}

install_packages() {
  packages_missing || return 0
  command -v npm >/dev/null || {
    echo 'error: npm is needed for the first start: install Node.js (any version that has npm)' >&2
    return 1
  }
  setup_step 'installing packages (first start only)' npm ci && touch node_modules/.installed
}

bundle_stale() {
  [ ! -e dist/.built ] ||
    [ -n "$(find bin commands src kwok-provider hack/build.ts package-lock.json -newer dist/.built 2>/dev/null)" ]
}

build_if_stale() {
  bundle_stale || return 0
  node_modules/node/bin/node hack/build.ts
}

# Builds dist/ when a source is newer.
build_bundle() {
  setup_locked build_if_stale
}

if packages_missing; then
  setup_locked install_packages || exit 1
fi
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
