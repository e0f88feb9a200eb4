#!/bin/sh
# merge-and-check.sh SUITE RESULTS [OPTION...]: puts RESULTS/shard-* together into RESULTS/whole, and
# checks that. The options are those of tensor-cts check. Exit code: 0 conformant, 1 not, 2 else.
set -eu
[ $# -ge 2 ] || { echo "usage: merge-and-check.sh SUITE RESULTS [OPTION...]" >&2; exit 2; }
suite=$1 results=$2
shift 2
# A job that is queued again merges anew: what lies there may be of an earlier try.
rm -rf "$results/whole"
tensor-cts merge "$results"/shard-* --out "$results/whole"
exec tensor-cts check "$suite" "$results/whole" "$@"
