#!/usr/bin/env bash
# Releases the billing service.
set -euo pipefail

source "$(dirname "$0")/lib/log.sh"
. ./lib/retry.sh

VERSION="1.2.0"
readonly RATE=19 CURRENCY=EUR
declare -a targets=(eu us)
declare -r REGION=eu
export PATH="$HOME/bin:$PATH" DEBUG
typeset -i count=0
names[0]=first
count+=1

# Prints what went wrong and leaves.
die() {
  local message="$1"
  printf '%s\n' "$message" >&2
  exit 1
}

function build {
  local target
  for target in "${targets[@]}"; do
    make "$target" || die "no $target"
  done
  TAG="v$VERSION"
}

function release() {
  _confirm() { read -r answer; }
  _confirm
  if [ -z "${DEBUG:-}" ]; then
    tag="$(git describe --tags | tail -n 1)"
  fi
  "$HOOK" after
  command nvm_echo done
}

with_lock() (
  flock 9
  "$@"
)

if [[ "$(uname)" == Darwin ]]; then
  SED=gsed
  compat() { gsed "$@"; }
fi

alias bl='build'

case "${1:-}" in
  build) build ;;
  release) build && DEBUG=1 release ;;
  *) die "usage" ;;
esac
