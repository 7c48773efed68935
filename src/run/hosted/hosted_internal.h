// Inside of the room: what a journal begins with, and the computation.
#pragma once

#include "run/hosted/hosted.h"

#include "log/log/log.h"
#include "sagbend/case/case.h"
#include "sagbend/engine/engine.h"
#include "sagbend/journal/journal.h"
#include "sagbend/orders/orders.h"
#include "sagbend/signals/signals.h"

struct text_part {
  const char *text;
  size_t size;
};

// Texts lie in the journal, or in terminated copies that the head owns.
enum { MOST_LOGS = 1000 }; // of one journal: one for each session

struct journal_head {
  char *library, *name;
  int controller;
  struct text_part main;
  struct config_file file[MAX_CONFIG_POOL];
  int file_count;
  char **override; // with those that the log adds
  int override_count;
  uint64_t case_hash, start_hash;
  uint64_t *restored; // names of the states that the journal restores
  size_t restored_count;
  int has_end;  // its last line is one
  int sessions; // that a restored state or a reset begins
};

// Reads the whole journal, so that nothing is computed of a damaged one, and leaves reader behind its head.
enum status hosted_read(struct journal_reader *reader, struct journal_head *out, struct reason *why);
void hosted_head_free(struct journal_head *head);

// A state that the journal saved.
struct kept_state {
  uint64_t name;
  void *bytes; // a checkpoint
  size_t size;
  uint64_t step;
  char session[17];
};

// What the journals of one host have in common.
struct hosted_all {
  const struct hosted_order *order;
  struct file_claims *claims;
  struct log_secret_key key;
  struct kept_state *kept;
  size_t kept_count;
  uint64_t logs;      // begun so far
  struct hosted *one; // of each journal
};

struct hosted {
  struct hosted_all *all;
  const char *path;
  char *text; // the journal
  size_t size;
  struct journal_reader reader;
  int is_done;
  struct hosted_report own, *report;
  struct journal_head head;
  struct setup setup;
  struct engine engine;
  struct event_finder finder;
  struct command command; // that the next step uses
  int has_command;
  struct kept_state initial;

  // The log that is open.
  struct session_log *log;
  char session[17], before[17]; // before: of the session before it
  uint64_t first_step, commands, every[LOG_TOPIC_COUNT], dropped[LOG_TOPIC_COUNT];
  uint64_t hash;     // the host's, of the newest step
  uint64_t end_step; // the host's last one; 0: the newest
  struct sim_node *nodes;
  struct reason why; // the log cannot be written
};
