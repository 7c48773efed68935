// Text files of numbers that Fortran programs wrote, read line by line. Errors name file, line and what was
// expected.
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/hydro/hydro_report.h"

#include <stddef.h>

enum { TEXT_LINE = 1024, MAX_LINE_NUMBERS = 64, LARGEST_TEXT_FILE = 64 << 20 };

struct text_file {
  const char *path;
  char *text; // owned, size bytes and a zero
  size_t size;
  const char *at;
  int is_unended;         // 1: the last line has no end
  int line;               // of the line in buffer, from 1
  char buffer[TEXT_LINE]; // the last line read, without its end
};

// Reads the whole file. STATUS_BAD_INPUT: it is missing, not a regular file, empty, not text, or ends in the
// middle of a number, which a file that was cut does: without an end of the last line the last number must
// have as many characters as the shortest that ends another line of as many words, and a whole exponent.
// Release with text_file_close, also after a failure.
enum status text_file_open(struct text_file *file, const char *path, struct reason *why);
// The same for a text in memory, which is copied.
enum status text_file_copy(struct text_file *file, const char *name, const char *text, size_t size,
                           struct reason *why);
// Releases the text. report: gets a notice if the last line had no end; NULL: none.
void text_file_close(struct text_file *file, struct hydro_report *report);

// Reads the next line into buffer (CR and spaces at its end removed). Returns 0 at the end of the file.
int text_file_next(struct text_file *file);
// The same, but the end of the file is an error: what was expected, as in "frequency 3 of 36".
enum status text_file_need(struct text_file *file, const char *what, struct reason *why);

// Fails with "path:line: expected, got 'start of the line'".
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
enum status text_file_fail(const struct text_file *file, struct reason *why, const char *expected, ...);

// Reads the numbers of the line in buffer, which has nothing else: at least fewest, at most most. Accepts
// Fortran's forms 1.0D+02 and 1.0-101. Returns the count through *count (may be NULL).
enum status text_file_numbers(const struct text_file *file, int fewest, int most, double *out, int *count,
                              const char *what, struct reason *why);

// The numbers at the start of the line in buffer, at most most, as Fortran reads a list: commas separate too,
// 3*0.5 is 0.5 three times, text after the numbers is a comment. Returns their count.
int text_file_list(const struct text_file *file, int most, double *out);

// Exactly count numbers of such a line, which users write for a Fortran program.
enum status text_file_numbers_before_comment(const struct text_file *file, int count, double *out,
                                             const char *what, struct reason *why);

// text_file_need, then exactly count numbers.
enum status text_file_row(struct text_file *file, int count, double *out, const char *what,
                          struct reason *why);

// Fails unless only empty lines remain.
enum status text_file_end(struct text_file *file, const char *after, struct reason *why);

// Whether a number is whole and within the limits.
int text_is_whole(double x, double low, double high);
