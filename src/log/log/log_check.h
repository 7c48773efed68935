// Checks the chain of a log (log/log/log_chain.h) while the log is read from its beginning: whether each
// record is the one that was written there, and who signed it.
#pragma once

#include "log/log/log_chain.h"
#include "log/mcap/mcap.h"

enum log_chain_state {
  LOG_CHAIN_NONE,   // the log has no chain: an older program wrote it, or it was written again
  LOG_CHAIN_HOLDS,  // each record is the one that was written, as far as the log goes
  LOG_CHAIN_GAPS,   // the same, but whole links between the records are missing
  LOG_CHAIN_BROKEN, // a record was altered, exchanged, added or removed
};

struct log_check_report {
  enum log_chain_state state;
  uint64_t records, links; // records that a link covers; links read
  uint64_t missing;        // records in the gaps
  uint64_t gap_ns;         // log time of the newest message before the first gap
  struct reason broken;    // the first break: what, and where
  char topic[64];          // topic of the record there; "": not a message
  uint64_t time_ns;        // and its log time
  int is_signed;           // every link has a valid signature by public_key
  struct log_public_key public_key;
  int recovered;            // 'sagbend log recover' made this file
  int derived;              // 'sagbend log scene' made this file: a copy with other messages
  struct log_digest digest; // of the chain after its last link
};

struct log_check;

// Begins a check. Call before the first message is read; the reader's record callback belongs to the check
// until log_check_finish. NULL: out of memory.
struct log_check *log_check_open(struct mcap_reader *reader);
// Sets a function that is called with each metadata and attachment record, like mcap_reader_on_record.
void log_check_on_record(struct log_check *check,
                         void (*on_record)(void *context, uint8_t kind, const uint8_t *content, size_t size),
                         void *context);
void log_check_message(struct log_check *check, const struct mcap_message *message); // each, in file order
// Call after the last message. complete: the file was read to a proper end. The report lives as long as
// check.
const struct log_check_report *log_check_finish(struct log_check *check, int complete);
void log_check_free(struct log_check *check); // accepts NULL

const char *log_chain_state_name(enum log_chain_state state); // "none", "holds", "gaps", "broken"

// Whether the log is signed by this key; if not, why states the reason.
int log_check_is_by(const struct log_check_report *report, const struct log_public_key *key,
                    struct reason *why);
