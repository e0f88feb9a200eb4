#!/bin/bash
# A job array: every task runs one shard. SUITE, RESULTS (on a file system that all nodes see),
# ADAPTER and CLUSTERS (where run-shard.sh lies) come from the environment.
#SBATCH --job-name=tensor-cts
#SBATCH --array=1-4
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --time=02:00:00
#SBATCH --requeue
# tensor-cts ends within two seconds of this; what is finished is kept.
#SBATCH --signal=B:TERM@60

# SHARDS says how many there are when only some of them are submitted (again).
exec "$CLUSTERS/run-shard.sh" "$SLURM_ARRAY_TASK_ID" "${SHARDS:-$SLURM_ARRAY_TASK_COUNT}" \
  "$SUITE" "$RESULTS" --adapter "$ADAPTER" --worker --jobs "$SLURM_CPUS_PER_TASK"
