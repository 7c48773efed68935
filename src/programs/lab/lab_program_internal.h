// The options by which sagbend sweep and sagbend rao choose points and the folder of their results.
#pragma once

#include "os/cli/cli.h"

struct point_options {
  const char *output_folder, *collect_folder; // NULL: not given
  int jobs, point;                            // 0: not given
  int list;
};

// Rows of a command whose struct has the member points.
#define POINT_OPTIONS(options)                                                                               \
  {"jobs", "N", "Number of points that run at a time. Default: one for each processor.",                     \
   COUNT(options, points.jobs)},                                                                             \
      {"list", NULL, "Check all points and print them as CSV; run none.", FLAG(options, points.list)},       \
      {"point", "K", "Run only point K, counted from 1, as a job of a batch system does.",                   \
       COUNT(options, points.point)},                                                                        \
  {                                                                                                          \
    "collect", "DIR", "Write the results of the points that have run in DIR.",                               \
        TEXT(options, points.collect_folder)                                                                 \
  }
