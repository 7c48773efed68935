#!/bin/sh
# A sweep with GNU parallel, on this machine or on several that see the same folder under the same path:
#
#   sweep.sh PLAN.yaml DIR [OPTIONS OF PARALLEL]
#   sweep.sh PLAN.yaml results --jobs 8
#   sweep.sh PLAN.yaml results --sshloginfile machines --workdir .
#
# Calling it again runs only the points that have no result yet. Exit status: as of the collecting sagbend sweep.
set -eu
if [ $# -lt 2 ]; then
  echo "usage: sweep.sh PLAN.yaml DIR [OPTIONS OF PARALLEL]" >&2
  exit 2
fi
plan=$1
folder=$2
shift 2
points=$(sagbend sweep "$plan" --list | sed '1d;s/,.*//') # every error in the plan shows here, before anything runs
[ -n "$points" ] || exit 2
echo "$points" | parallel --quote "$@" sagbend sweep "$plan" --out "$folder" --point {} || : # the results say which failed
exec sagbend sweep "$plan" --collect "$folder"
