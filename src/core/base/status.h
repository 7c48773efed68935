// Status codes: one table makes enum, name and text. Asserts are for our bugs, a status is for the world.
#pragma once

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

const char *status_text(enum status s); // a phrase for people

// A reason for people beside a status: filled on failure, one line, no newline.
struct reason {
  char text[256];
};

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
enum status fail(struct reason *why, enum status s, const char *format, ...);
