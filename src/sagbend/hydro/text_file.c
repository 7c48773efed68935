// Text files of rows: words and numbers with their places; tables by their first column.
#include "sagbend/hydro/hydro.h"

#include "sagbend/base/base.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_TOKEN = 64 };

// The last word of a line, which ends before end, and how many words the line has. A number's length is that
// of its digits, point and exponent, without sign; 0: it is no number.
struct last_word {
  int words;
  const char *start;
  size_t length, number_length;
};

static int number_of(const char *token, size_t length, double *out);

static struct last_word last_word_of(const char *line, const char *end) {
  struct last_word last = {.words = 0};
  double number;
  for (const char *at = line; at < end;) {
    while (at < end && isspace((unsigned char)*at))
      at++;
    const char *start = at;
    while (at < end && !isspace((unsigned char)*at))
      at++;
    if (at > start)
      last = (struct last_word){last.words + 1, start, (size_t)(at - start), 0};
  }
  if (last.words > 0 && number_of(last.start, last.length, &number))
    last.number_length = last.length - (size_t)(*last.start == '-' || *last.start == '+');
  return last;
}

// Every program writes an exponent with two digits or more.
static int has_cut_exponent(const struct last_word *word) {
  size_t digits = 0;
  while (digits < word->length && isdigit((unsigned char)word->start[word->length - 1 - digits]))
    digits++;
  size_t at = word->length - digits;
  if (at > 1 && strchr("+-", word->start[at - 1]))
    at--;
  return digits < 2 && at > 0 && strchr("eEdD", word->start[at - 1]);
}

// Whether the last number of a text without a last end of line is whole, as far as the lines above show.
static int is_last_number_whole(const struct text_file *file, struct last_word *last) {
  const char *end = file->text + file->size, *line = end;
  while (line > file->text && line[-1] != '\n')
    line--;
  *last = last_word_of(line, end);
  if (last->number_length == 0)
    return 1;
  size_t shortest = 0;
  for (const char *at = file->text; at < line;) {
    const char *stop = memchr(at, '\n', (size_t)(line - at));
    struct last_word other = last_word_of(at, stop);
    if (other.words == last->words && other.number_length > 0 &&
        (shortest == 0 || other.number_length < shortest))
      shortest = other.number_length;
    at = stop + 1;
  }
  return last->number_length >= shortest && !has_cut_exponent(last);
}

// Judges the text as a whole, which is read from its start then.
static enum status start(struct text_file *file, struct reason *why) {
  struct last_word last;
  file->text[file->size] = '\0';
  file->at = file->text;
  if (file->size == 0)
    return fail(why, STATUS_BAD_INPUT, "%.150s:1: numbers expected, got an empty file", file->path);
  if (memchr(file->text, '\0', file->size))
    return fail(why, STATUS_BAD_INPUT, "%.150s: a text file expected, got a zero byte", file->path);
  int lines = 1;
  for (size_t i = 0; i < file->size; i++)
    lines += file->text[i] == '\n';
  int is_unended = file->text[file->size - 1] != '\n';
  if (is_unended && !is_last_number_whole(file, &last))
    return fail(why, STATUS_BAD_INPUT,
                "%.120s:%d: a last number as long as those above it expected, got '%.*s' and the end of the "
                "file: was it cut? If not, end the line",
                file->path, lines, last.length > 24 ? 24 : (int)last.length, last.start);
  file->is_unended = is_unended;
  return STATUS_OK;
}

static enum status load(struct text_file *file, int descriptor, struct reason *why) {
  file->text = malloc(file->size + 1);
  if (!file->text)
    return fail(why, STATUS_NO_MEMORY, "out of memory for %.150s", file->path);
  size_t used = 0;
  while (used < file->size) {
    ssize_t got = read(descriptor, file->text + used, file->size - used);
    if (got <= 0)
      return fail(why, STATUS_BAD_INPUT, "%.150s: a readable file expected", file->path);
    used += (size_t)got;
  }
  return start(file, why);
}

enum status text_file_open(struct text_file *file, const char *path, struct reason *why) {
  struct regular_file found;
  struct reason cause = {""};
  *file = (struct text_file){.path = path};
  if (regular_file_open(path, LARGEST_TEXT_FILE, &found, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "%.150s: a readable file expected: %.80s", path, cause.text);
  file->size = (size_t)found.size;
  enum status status = load(file, found.descriptor, why);
  close(found.descriptor);
  return status;
}

enum status text_file_copy(struct text_file *file, const char *name, const char *text, size_t size,
                           struct reason *why) {
  *file = (struct text_file){.path = name, .size = size, .text = malloc(size + 1)};
  if (!file->text)
    return fail(why, STATUS_NO_MEMORY, "out of memory for %.150s", name);
  memcpy(file->text, text, size);
  return start(file, why);
}

void text_file_close(struct text_file *file, struct hydro_report *report) {
  if (file->text && file->is_unended && report)
    report_line(report, "notice: %s: the last line has no end; it is taken to be whole", file->path);
  free(file->text);
  file->text = NULL;
}

int text_file_next(struct text_file *file) {
  const char *limit = file->text + file->size;
  const char *end = memchr(file->at, '\n', (size_t)(limit - file->at));
  if (file->at == limit)
    return 0;
  if (!end)
    end = limit;
  size_t length = (size_t)(end - file->at);
  int is_long = length >= TEXT_LINE; // no line of these formats is as long
  if (is_long)
    length = TEXT_LINE - 1;
  memcpy(file->buffer, file->at, length);
  if (is_long)
    file->buffer[length - 1] = '?'; // not a number
  while (length > 0 && isspace((unsigned char)file->buffer[length - 1]))
    length--;
  file->buffer[length] = '\0';
  file->at = end < limit ? end + 1 : limit;
  file->line++;
  return 1;
}

// The start of a text with what cannot be printed as question marks.
static void print_start(const char *text, size_t length, char *out, size_t size) {
  size_t used = 0;
  for (; used < size - 1 && used < length; used++)
    out[used] = isprint((unsigned char)text[used]) ? text[used] : '?';
  out[used] = '\0';
}

enum status text_file_fail(const struct text_file *file, struct reason *why, const char *expected, ...) {
  char text[128], found[32];
  va_list arguments;
  va_start(arguments, expected);
  vsnprintf(text, sizeof text, expected, arguments);
  va_end(arguments);
  const char *start = file->buffer;
  while (*start == ' ')
    start++;
  print_start(start, strlen(start), found, sizeof found);
  return fail(why, STATUS_BAD_INPUT, "%.90s:%d: %s expected, got '%s'", file->path, file->line, text, found);
}

enum status text_file_need(struct text_file *file, const char *what, struct reason *why) {
  if (text_file_next(file))
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT, "%.100s:%d: %s expected, got the end of the file", file->path,
              file->line + 1, what);
}

// Reads a number of a token in one of Fortran's forms.
static int number_of(const char *token, size_t length, double *out) {
  char text[LONGEST_TOKEN + 2];
  size_t used = 0;
  int has_exponent = 0, has_digit = 0;
  if (length > LONGEST_TOKEN)
    return 0;
  for (size_t i = 0; i < length; i++) {
    char c = token[i];
    if (c >= '0' && c <= '9') {
      has_digit = 1;
    } else if (strchr("eEdD", c)) {
      has_exponent = 1;
      c = 'e';
    } else if ((c == '+' || c == '-') && has_digit && !has_exponent) { // 1.0-101
      text[used++] = 'e';
      has_exponent = 1;
    } else if (!strchr("+-.", c)) {
      return 0;
    }
    text[used++] = c;
  }
  text[used] = '\0';
  char *end;
  *out = strtod(text, &end);
  return has_digit && !*end && isfinite(*out);
}

enum status text_file_numbers(const struct text_file *file, int fewest, int most, double *out, int *count,
                              const char *what, struct reason *why) {
  int found = 0;
  const char *at = file->buffer;
  for (;; found++) {
    while (isspace((unsigned char)*at))
      at++;
    if (!*at)
      break;
    size_t length = strcspn(at, " \t\r\n\v\f");
    double number;
    if (!number_of(at, length, &number)) {
      char token[24];
      print_start(at, length, token, sizeof token);
      return fail(why, STATUS_BAD_INPUT, "%.90s:%d:%d: %.60s expected, got '%s'%s", file->path, file->line,
                  (int)(at - file->buffer) + 1, what, token,
                  memchr(at, '*', length) ? ": the number did not fit its field" : "");
    }
    if (found == most)
      return text_file_fail(file, why, "%.80s and then the end of the line", what);
    out[found] = number;
    at += length;
  }
  if (count)
    *count = found;
  return found < fewest ? text_file_fail(file, why, "%.80s", what) : STATUS_OK;
}

int text_file_list(const struct text_file *file, int most, double *out) {
  static const char *const separators = " \t\r\n\v\f,";
  const char *at = file->buffer;
  int found = 0;
  while (found < most) {
    double number, times = 1;
    at += strspn(at, separators);
    size_t length = strcspn(at, separators);
    const char *star = memchr(at, '*', length);
    if (star && number_of(at, (size_t)(star - at), &times)) {
      length -= (size_t)(star + 1 - at);
      at = star + 1;
    }
    if (length == 0 || !text_is_whole(times, 1, MAX_LINE_NUMBERS) || !number_of(at, length, &number))
      break;
    for (int k = 0; k < (int)times && found < most; k++)
      out[found++] = number;
    at += length;
  }
  return found;
}

enum status text_file_numbers_before_comment(const struct text_file *file, int count, double *out,
                                             const char *what, struct reason *why) {
  double number[MAX_LINE_NUMBERS];
  int found = text_file_list(file, count, number);
  if (found < count)
    return text_file_fail(file, why, "%.80s", what);
  memcpy(out, number, (size_t)count * sizeof *out);
  return STATUS_OK;
}

enum status text_file_row(struct text_file *file, int count, double *out, const char *what,
                          struct reason *why) {
  enum status status = text_file_need(file, what, why);
  return status == STATUS_OK ? text_file_numbers(file, count, count, out, NULL, what, why) : status;
}

enum status text_file_end(struct text_file *file, const char *after, struct reason *why) {
  while (text_file_next(file))
    if (*file->buffer)
      return text_file_fail(file, why, "the end of the file after %s", after);
  return STATUS_OK;
}

int text_is_whole(double x, double low, double high) {
  return x >= low && x <= high && x == floor(x);
}

// ------------------------------------------------------------
static const double TURN = 2 * 3.14159265358979323846;

const char *first_column_name(enum first_column column) {
#define X(kind, name, text) name,
  static const char *const names[] = {FIRST_COLUMN_TABLE(X)};
#undef X
  return names[column];
}

const char *first_column_text(enum first_column column) {
#define X(kind, name, text) text,
  static const char *const texts[] = {FIRST_COLUMN_TABLE(X)};
#undef X
  return texts[column];
}

enum first_column first_column_find(const char *name) {
  int column = 0;
  while (column < FIRST_COLUMNS && strcmp(name, first_column_name((enum first_column)column)) != 0)
    column++;
  return (enum first_column)column;
}

double first_column_omega(enum first_column column, double number, const struct first_column_water *water) {
  double wavenumber = number / water->length_m, rise = 1;
  switch (column) {
  case COLUMN_PERIOD:
    return TURN / number;
  case COLUMN_RADPS:
    return number;
  case COLUMN_HERTZ:
    return TURN * number;
  case COLUMN_WAVENUMBER:
    rise = water->depth_m > 0 ? tanh(wavenumber * water->depth_m) : 1;
    break;
  default:
    break;
  }
  return sqrt(water->gravity_mps2 * wavenumber * rise);
}

double first_column_number(enum first_column column, double omega_radps,
                           const struct first_column_water *water) {
  switch (column) {
  case COLUMN_PERIOD:
    return TURN / omega_radps;
  case COLUMN_RADPS:
    return omega_radps;
  case COLUMN_HERTZ:
    return omega_radps / TURN;
  case COLUMN_WAVENUMBER:
    return hydro_wavenumber(omega_radps, water->gravity_mps2, water->depth_m) * water->length_m;
  default:
    return omega_radps * omega_radps / water->gravity_mps2 * water->length_m;
  }
}
