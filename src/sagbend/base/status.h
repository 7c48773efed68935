// Errors. The whole project follows one convention:
//   - A function that can fail returns enum status. Where a person will read the cause it also fills a struct
//     reason through a pointer why, which may be NULL. Results go out through pointers and mean nothing
//     unless the status is STATUS_OK.
//   - A predicate returns 1 (yes) or 0 (no) and its name contains "is" (..._is_...). Checks of data from a
//     file also state why a value is refused (sagbend/base/base.h).
//   - A count is named a count and is never an error code.
//   - A search returns a pointer, NULL if there is no match, or an index whose comment states that -1 means
//     "none".
//   - assert is for errors in this program, a status for everything that users, files or the network can
//     cause.
#pragma once

#include "sagbend/base/nonblocking.h"

// Code and text of each status.
#define STATUS_TABLE(X)                                                                                      \
  X(STATUS_OK, "ok")                                                                                         \
  X(STATUS_BAD_INPUT, "the input does not describe a valid case")                                            \
  X(STATUS_NO_MEMORY, "out of memory")                                                                       \
  X(STATUS_SINGULAR, "the system of equations is singular")                                                  \
  X(STATUS_NOT_CONVERGED, "the equilibrium was not found")                                                   \
  X(STATUS_IO, "input or output failed")                                                                     \
  X(STATUS_FAULT, "the simulation latched a fault")

enum status {
#define X(name, text) name,
  STATUS_TABLE(X)
#undef X
      STATUS_COUNT
};

// The text of a status for a message; "unknown status" outside the enum.
const char *status_text(enum status status);

// Why something failed, for a person: one line without a newline. Written on failure only.
struct reason {
  char text[256];
};

// Returns status after writing the reason (printf format), as text_show shows it (sagbend/base/shown_text.h) and
// cut off at the size of the text; why may be NULL.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
enum status fail(struct reason *why, enum status status, const char *format, ...) NONBLOCKING;
