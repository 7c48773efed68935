// The chain of a log, followed while the log is read from its beginning (io/log/log_chain.h says what is
// chained): whether each record is the one that was written there, and who signed it.
#pragma once

#include "io/log/log_chain.h"
#include "io/mcap/mcap_reader.h"

enum log_chain_state {
  LOG_CHAIN_NONE,   // there is none: a log of an older program, or one that was written anew
  LOG_CHAIN_HOLDS,  // each record is the one that was written, as far as the log goes
  LOG_CHAIN_GAPS,   // those that are there are; whole links between them are missing
  LOG_CHAIN_BROKEN, // altered, exchanged, added, or left out
};

struct log_check_report {
  enum log_chain_state state;
  uint64_t records, links; // that a link covers; links read
  uint64_t missing;        // records in the gaps
  uint64_t gap_ns;         // log time of the newest message before the first gap
  struct reason broken;    // the first break: what, and where
  char topic[64];          // where: topic ("" : none) and time of the record
  uint64_t time_ns;
  int is_signed; // by public_key, each signature right
  struct log_public_key public_key;
  int recovered; // 'sagbend log recover' made this file
};

struct log_check;

// Before the first message of r. NULL: no memory.
struct log_check *log_check_open(struct mcap_reader *r);
// seen gets each metadata and attachment record too, as mcap_reader_on_record has it.
void log_check_also(struct log_check *c,
                    void (*seen)(void *context, uint8_t kind, const uint8_t *content, size_t size),
                    void *context);
void log_check_message(struct log_check *c, const struct mcap_message *m); // each, in the file's order
// After the last one. complete: reading came to the file's end in order.
const struct log_check_report *log_check_finish(struct log_check *c, int complete);
void log_check_free(struct log_check *c);

const char *log_chain_state_name(enum log_chain_state s); // "none", "holds", "gaps", "broken"

// Whether the log is signed by this key; if not, the reason.
int log_check_is_by(const struct log_check_report *report, const struct log_public_key *key,
                    struct reason *why);
