log() {
  printf '%s\n' "$1"
}
