// Pauses and halts of a run: times in which no steps are made. Pure accounting; the caller gives the clock.
#pragma once

#include <stdint.h>

enum { PAUSES_KEPT = 32, PAUSE_TEXT = 128, PAUSE_OPERATOR = 64 };

struct pause {
  uint64_t step; // steps completed
  double time_s; // simulated
  int halted;    // nonzero: the run halted by itself
  char why[PAUSE_TEXT];
  char operator_name[PAUSE_OPERATOR]; // who ordered it; empty: nobody
  uint64_t begin_ns, end_ns;          // wall clock; end 0: it goes on
};

struct pauses {
  int now; // nonzero: no steps are made at present
  uint64_t count;
  uint64_t over_ns;               // sum of those that are over
  struct pause newest;            // valid if count > 0
  struct pause kept[PAUSES_KEPT]; // the first of them
};

void pauses_begin(struct pauses *p, const struct pause *pause); // its end is not read
void pauses_end(struct pauses *p, uint64_t now_ns);

uint64_t pauses_ns(const struct pauses *p, uint64_t now_ns); // wall clock of all of them until now
double pause_s(const struct pause *pause, uint64_t now_ns);  // its duration until now
