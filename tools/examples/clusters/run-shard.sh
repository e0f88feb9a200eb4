#!/bin/sh
# run-shard.sh I N SUITE RESULTS OPTION...: runs shard I of N of a suite into RESULTS/shard-I.
# The options are those of tensor-cts run. Started again after an interruption it goes on.
set -eu
[ $# -ge 5 ] || { echo "usage: run-shard.sh I N SUITE RESULTS OPTION..." >&2; exit 2; }
index=$1 count=$2 suite=$3 results=$4
shift 4
# exec: stopping the job stops tensor-cts, which ends its adapters and keeps finished results.
exec tensor-cts run "$suite" --shard "$index/$count" --resume --out "$results/shard-$index" "$@"
