// Private to the recorder: recorder.c opens, closes, hands over and writes.
#pragma once

#include "run/session/session.h"

#include "os/process/process.h"

#include <stdatomic.h>

// Head of an item in the ring. Its content follows: columns, nodes, a hash or a laid node.
struct record_item {
  enum record_kind kind;
  int count; // of columns or nodes; 1: the laid node has retired, 0: it has returned
  uint64_t step;
  double time_s;
  uint64_t missing_before; // rows or shapes missing since the item before of this kind
};

struct record_column {
  const char *name;
  double value;
};

struct record_laid {
  uint64_t number; // of the node, from the lower end at the start
  struct sim_laid_node node;
};

struct record_writer {
  struct byte_ring ring;
  struct os_thread thread;
  atomic_int stop;
  const struct recorder *recorder; // its files and pipe; the thread reads nothing else
  int series_begun;
};
