#!/usr/bin/env bash
source lib/log.sh

check() {
  log "checking"
}

main() {
  check "$1"
  log "done"
  rm -f x
}

main "$@"
