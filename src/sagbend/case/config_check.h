// What the checks between keys share: looking up keys of the text, and reporting errors in one form, "KEY:
// EXPECTED expected, got FOUND". A check is made only where everything it compares was read without an error
// (is_readable).
#pragma once

#include "sagbend/signals/thruster_kind.h"
#include "sagbend/case/config_draft.h"

struct check {
  const struct node *root;
  struct error_list *errors;
  const struct config_draft *draft; // of a configuration; NULL for a DP file
  const void *more;                 // record of the program's sections; NULL: they are not read
  const struct dp_draft *dp;        // of a DP file; NULL for a configuration
};

// Name of an instrument type, for keys with such a word.
const char *instrument_word(int kind);

// "events.3.when", from a format.
struct key_path {
  char text[160];
};
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
struct key_path key_path(const char *format, ...);

// "kind is azimuth or main": the kinds of thrusters of which is_of holds.
struct key_path kinds_where(int (*is_of)(const struct thruster_kind_row *kind));
int kind_turns(const struct thruster_kind_row *kind);

// The node of a key that the text gives and that is not null; NULL otherwise.
const struct node *given(const struct check *c, const char *path);
// Whether a key is absent or was read without an error.
int is_readable(const struct check *c, const char *path);
// Whether a key is given and was read without an error.
int is_given_well(const struct check *c, const char *path);

// Reports "PATH: TEXT, got FOUND" at the value of the key, or, where it is absent, at the section in which it
// is missing. The text contains the word "expected".
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void report(const struct check *c, const char *path, const char *format, ...);
// The same with a FOUND of its own.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void report_found(const struct check *c, const char *path, const char *found, const char *format, ...);
// The same with a whole text, which another room has made.
void report_text(const struct check *c, const char *path, const char *text);

// "FILE:LINE:COLUMN" of a value, for a check that knows more than the file. place stays as it is where the
// value is absent.
void keep_place(const struct check *c, const char *path, char place[ROUTE_PLACE]);

// Reports a key that is given although is_allowed is 0: "nothing expected unless CONDITION".
void check_allowed(const struct check *c, const char *path, int is_allowed, const char *condition);
// Exactly one of section.a and section.b, where the section is given.
void check_one_of(const struct check *c, const char *section, const char *a, const char *b);
// The name of an item differs from those of the items before it; names: of the first item, stride bytes
// apart.
void check_unique(const struct check *c, const char *list, int index, const char *names, size_t stride);

// A name of another item of the list; names as for check_unique, of count items.
void check_other(const struct check *c, const char *path, const char *name, const char *list, int index,
                 const char *names, size_t stride, int count);

// Whether all keys of an item of a list were read without an error.
int is_item_readable(const struct check *c, const char *list, int index);

// A time profile: the keys of section that PROFILE_ROWS lists.
void check_profile(const struct check *c, const char *section, const struct time_profile *profile);
// Keys of a section that exclude its table.
void check_excluded_by_table(const struct check *c, const char *section, const char *const *names, int count);
// Rows of section.table: at least two, at increasing times.
void check_rows(const struct check *c, const char *section, const struct table_row *rows, int count);
// Whether angles (rad, stride doubles apart) increase from 0 to pi, or to below 2 pi; at least three.
int is_increasing_turn(const double *first, int stride, int count);

// Whether a 6 x 6 matrix is symmetric to rounding; reports one that is not.
int is_symmetric(const struct check *c, const char *path, const double (*m)[6]);
// Half of m + m^T.
void symmetric_part(const double (*m)[6], double out[6][6]);
