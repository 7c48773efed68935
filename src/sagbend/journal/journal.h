// The journal of a host: what it did to a simulation, so that the same steps can be computed again. The
// library writes it (sagbend_journal), `sagbend log from-journal` reads it.
//
// A journal is a text. Each line ends with " #" and 8 hexadecimal digits, a check of everything before them,
// which finds damage and not intent. A line of a text states its size; the text follows it, with a check of
// its own.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/signals/signals.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Word of the line, and its numbers: d decimal, x 16 hexadecimal digits, t a text of that size, c a command.
#define JOURNAL_TABLE(X)                                                                                     \
  X(BEGIN, "sagbend-journal", "d") /* JOURNAL_FORMAT; the first line */                                      \
  X(LIBRARY, "library", "t")       /* version and build of the library, with a space between */              \
  X(CONTROLLER, "controller", "d") /* SAGBEND_CONTROLLER_... */                                              \
  X(CASE, "case", "t")             /* name of the case in errors */                                          \
  X(PATH, "path", "t")             /* of the file that follows; the case has none */                         \
  X(FILE, "file", "t")             /* the case, then each file on which the steps depend */                  \
  X(OVERRIDE, "override", "t")     /* KEY=VALUE */                                                           \
  X(START, "start", "xx")          /* hashes of the case and of the first state: all above is complete */    \
  X(COMMAND, "command", "c")       /* reaches the vessel before the next step */                             \
  X(ORDER, "order", "t")           /* words of an order that was accepted */                                 \
  X(STEP, "step", "dx")            /* steps made so far, hash of the state */                                \
  X(SNAPSHOT, "snapshot", "x")     /* the name by which the state is restored */                             \
  X(RESTORE, "restore", "xdx")     /* name of the state, its step and hash */                                \
  X(RESET, "reset", "dx")          /* to the first state: its step and hash */                               \
  X(END, "end", "dx")              /* the host has closed the simulation: last step and hash */
#define X(id, word, numbers) JOURNAL_##id,
enum journal_kind { JOURNAL_TABLE(X) JOURNAL_KINDS };
#undef X

enum { JOURNAL_FORMAT = 1 };

// ---- Writing ----

struct journal {
  FILE *file;     // NULL: no journal is written, and the functions do nothing
  uint64_t check; // of the bytes so far
  int is_broken;  // something could not be written: the journal ends before it
  int is_told;    // of the caller's: the host has been told
};

// Makes a new file. STATUS_IO: it cannot be made, or is there already; why names it.
enum status journal_create(struct journal *journal, const char *path, struct reason *why);
// One line: the numbers of its kind, in their order.
void journal_put(struct journal *journal, enum journal_kind kind, uint64_t first, uint64_t second,
                 uint64_t third);
void journal_put_text(struct journal *journal, enum journal_kind kind, const void *text, size_t size);
void journal_put_command(struct journal *journal, const struct command_def *def,
                         const struct command *command);
// What the calls before have written goes to the system. STATUS_IO: something could not be written, now or
// before.
enum status journal_flush(struct journal *journal);
void journal_close(struct journal *journal);

// ---- Reading ----

struct journal_line {
  enum journal_kind kind;
  int line; // number of the line in the file, from 1; lines of texts count
  uint64_t number[3];
  const char *text; // not ended by a zero; of a command its fields
  size_t size;
};

struct journal_reader {
  const char *path, *text; // the whole journal, borrowed
  size_t size, at;
  uint64_t check;
  int line, count;
};

struct journal_reader journal_read(const char *path, const char *text, size_t size);
// 1: a line. 0: the end; reader->at < reader->size: the journal breaks off within a line. -1: it is damaged
// or none; why has the place. Texts live as long as the journal's.
int journal_next(struct journal_reader *reader, struct journal_line *out, struct reason *why);
// The command of a line. STATUS_BAD_INPUT: it names something that def does not have.
enum status journal_read_command(const struct journal_line *line, const struct command_def *def,
                                 struct command *out, struct reason *why);
