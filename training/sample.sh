#!/bin/sh
# The whole way on a small sample, without downloads, GPU or torch: gather, forbid, pairs, check, encode, train, quantise, evaluate.
#
#     training/sample.sh FOLDER        with PYTHON set to an interpreter that has numpy; about half a minute of CPU
#
# The packages are those installed beside that interpreter; one of them plays the benchmark that nothing may be taken from.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
folder=$1
mkdir -p "$folder"
forbidden=$("$python" -c 'import importlib.util as u; print(u.find_spec("pluggy").submodule_search_locations[0])')
step() { file=$1; shift; echo "== $file $*"; "$python" "$here/$file.py" "$@"; }

export WORKERS="${WORKERS:-2}" HELD_OUT=50
step harvest gather "$folder" installed
step harvest forbid "$folder" "$forbidden"
step harvest pairs "$folder" installed
step check_exclusions "$folder" "$folder/exclusions.json"
step encode bags "$folder" installed
step encode join "$folder"
step plain "$folder/encoded" "$folder/trained"
step pack "$folder/encoded" "$folder/trained" "$folder/static.bin"
step evaluate "$folder" "$folder/static.bin" "$folder/metrics.json" --queries 200 --least 20
step describe "$folder/static.bin" --metrics "$folder/metrics.json" --exclusions "$folder/exclusions.json"
