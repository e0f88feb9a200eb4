#!/bin/bash
# Judges what the array of slurm-shards.sh left: the job fails unless the implementation conforms.
#SBATCH --job-name=tensor-cts-check
#SBATCH --ntasks=1
#SBATCH --time=01:00:00

exec "$CLUSTERS/merge-and-check.sh" "$SUITE" "$RESULTS" --json "$RESULTS/report.json"
