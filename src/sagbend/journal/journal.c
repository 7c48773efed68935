// Writes and reads the records of a journal.
#include "sagbend/journal/journal.h"

#include "sagbend/base/base.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *word, *numbers;
} KINDS[] = {
#define X(id, word, numbers) {word, numbers},
    JOURNAL_TABLE(X)
#undef X
};

enum { CHECK_SIZE = sizeof " #12345678\n" - 1, MOST_LINE = 8192 };

static unsigned folded(uint64_t check) {
  return (unsigned)(check ^ check >> 32);
}

// ---- Writing ----

static void put_bytes(struct journal *j, const void *bytes, size_t size) {
  if (!j->file || j->is_broken)
    return;
  j->check = fnv1a(j->check, bytes, size);
  j->is_broken = fwrite(bytes, 1, size, j->file) != size;
}

static void put_check(struct journal *j) {
  char end[CHECK_SIZE + 1];
  snprintf(end, sizeof end, " #%08x\n", folded(j->check));
  put_bytes(j, end, CHECK_SIZE);
}

static void put_line(struct journal *j, const char *line) {
  put_bytes(j, line, strlen(line));
  put_check(j);
}

enum status journal_create(struct journal *j, const char *path, struct reason *why) {
  *j = (struct journal){.file = fopen(path, "wxe"), .check = FNV1A_START};
  if (!j->file)
    return fail(why, STATUS_IO, "%.200s: a journal in a new file expected: %s", path, strerror(errno));
  journal_put(j, JOURNAL_BEGIN, JOURNAL_FORMAT, 0, 0);
  return STATUS_OK;
}

void journal_put(struct journal *j, enum journal_kind kind, uint64_t first, uint64_t second, uint64_t third) {
  const uint64_t number[3] = {first, second, third};
  char line[128];
  if (!j->file)
    return;
  int at = snprintf(line, sizeof line, "%s", KINDS[kind].word);
  for (int i = 0; KINDS[kind].numbers[i]; i++)
    at += snprintf(line + at, sizeof line - (size_t)at,
                   KINDS[kind].numbers[i] == 'x' ? " %016" PRIx64 : " %" PRIu64, number[i]);
  put_line(j, line);
}

void journal_put_text(struct journal *j, enum journal_kind kind, const void *text, size_t size) {
  char line[64];
  snprintf(line, sizeof line, "%s %zu", KINDS[kind].word, size);
  put_line(j, line);
  put_bytes(j, text, size);
  put_check(j); // of its own: an order that a journal breaks off behind counts
}

struct line_text {
  char text[MOST_LINE];
  size_t used;
};

static void add(struct line_text *line, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int more = vsnprintf(line->text + line->used, sizeof line->text - line->used, format, list);
  va_end(list);
  line->used += more > 0 ? (size_t)more : 0;
  if (line->used >= sizeof line->text)
    line->used = sizeof line->text - 1;
}

static void add_number(struct line_text *line, double value) {
  add(line, " %.17g", value);
}

static int place_of(const struct command_def *def, const char *thruster) {
  int i = 0;
  while (i < def->thruster_count && strcmp(def->thruster[i].name, thruster) != 0)
    i++;
  return i;
}

// Those parts that a host can command (inputs_command): stops and reports come from controllers alone.
void journal_put_command(struct journal *j, const struct command_def *def, const struct command *command) {
  struct line_text line = {.used = 0};
  if (!j->file)
    return;
  add(&line, "%s %" PRIu64 " %" PRIu64 " %d", KINDS[JOURNAL_COMMAND].word, command->sequence,
      command->based_on_step, command->standby);
  for (int i = 0; i < 6; i++)
    add_number(&line, command->wrench_b[i]);
  const struct tensioner_setpoint *tensioner = &command->tensioner;
  add(&line, " %d %d", tensioner->given, (int)tensioner->mode);
  add_number(&line, tensioner->tension_n);
  add_number(&line, tensioner->speed_mps);
  add(&line, " %d", command->thruster_count);
  for (int i = 0; i < command->thruster_count; i++) {
    const struct thruster_command *t = &command->thrusters[i];
    add(&line, " %d %d", place_of(def, t->name), t->enable);
    add_number(&line, t->revolutions_rpm);
    add_number(&line, t->pitch);
    add_number(&line, t->azimuth_rad);
  }
  put_line(j, line.text);
}

enum status journal_flush(struct journal *j) {
  if (!j->file)
    return STATUS_OK;
  if (!j->is_broken)
    j->is_broken = fflush(j->file) != 0;
  return j->is_broken ? STATUS_IO : STATUS_OK;
}

void journal_close(struct journal *j) {
  if (j->file)
    fclose(j->file);
  j->file = NULL;
}

// ---- Reading ----

struct journal_reader journal_read(const char *path, const char *text, size_t size) {
  return (struct journal_reader){.path = path, .text = text, .size = size, .check = FNV1A_START, .line = 1};
}

static int damaged(const struct journal_reader *r, struct reason *why, const char *expected) {
  fail(why, STATUS_BAD_INPUT, "%.200s:%d:1: %s expected", r->path, r->line, expected);
  return -1;
}

static int kind_of(const char *line) {
  const size_t length = strcspn(line, " ");
  for (int k = 0; k < JOURNAL_KINDS; k++)
    if (strlen(KINDS[k].word) == length && !memcmp(KINDS[k].word, line, length))
      return k;
  return -1;
}

// The numbers behind the word of a line. 0: there are others.
static int read_numbers(const char *numbers, const char *at, uint64_t number[3]) {
  for (int i = 0; numbers[i]; i++) {
    char *end;
    if (*at != ' ' || !strchr("0123456789abcdef", at[1]) || !at[1])
      return 0;
    number[i] = strtoull(at + 1, &end, numbers[i] == 'x' ? 16 : 10);
    if (end == at + 1)
      return 0;
    at = end;
  }
  return !*at;
}

static int has_check(uint64_t check, const char *end) {
  char expected[CHECK_SIZE + 1];
  snprintf(expected, sizeof expected, " #%08x\n", folded(check));
  return !memcmp(end, expected, CHECK_SIZE);
}

// The text of a line, and the check behind it. 0: the journal breaks off in it; -1: it is damaged.
static int take_text(struct journal_reader *r, size_t at, struct journal_line *out, struct reason *why) {
  const uint64_t size = out->number[0];
  const size_t left = r->size - at;
  if (left < CHECK_SIZE || size > left - CHECK_SIZE)
    return 0;
  out->text = r->text + at;
  out->size = (size_t)size;
  const uint64_t check = fnv1a(r->check, out->text, out->size);
  if (!has_check(check, out->text + out->size))
    return damaged(r, why, "a text as it was written (its check does not fit)");
  for (size_t i = 0; i < out->size + CHECK_SIZE; i++)
    r->line += out->text[i] == '\n';
  r->check = fnv1a(check, out->text + out->size, CHECK_SIZE);
  r->at = at + out->size + CHECK_SIZE;
  return 1;
}

int journal_next(struct journal_reader *r, struct journal_line *out, struct reason *why) {
  const char *begin = r->text + r->at, *feed = memchr(begin, '\n', r->size - r->at);
  char line[MOST_LINE];
  if (!feed) // the end, or a line that breaks off
    return 0;
  const size_t length = (size_t)(feed - begin) + 1, body = length - CHECK_SIZE;
  if (length <= CHECK_SIZE || body >= sizeof line)
    return damaged(r, why, "a line of a journal");
  const uint64_t check = fnv1a(r->check, begin, body);
  if (!has_check(check, begin + body))
    return damaged(r, why, r->count ? "a line as it was written (its check does not fit)" : "a journal");
  snprintf(line, sizeof line, "%.*s", (int)body, begin);
  const int kind = kind_of(line);
  *out = (struct journal_line){.kind = (enum journal_kind)kind, .line = r->line};
  if (kind < 0)
    return damaged(r, why, "a line that this program knows");
  const char *rest = line + strlen(KINDS[kind].word), *numbers = KINDS[kind].numbers;
  if (*numbers != 'c' && !read_numbers(numbers, rest, out->number))
    return damaged(r, why, "the numbers of this line");
  if ((kind == JOURNAL_BEGIN) != (r->count == 0))
    return damaged(r, why, "one first line");
  if (kind == JOURNAL_BEGIN && out->number[0] != JOURNAL_FORMAT)
    return damaged(r, why, "a journal of this program's format");
  r->check = fnv1a(check, begin + body, CHECK_SIZE);
  out->text = begin + (rest - line);
  out->size = body - (size_t)(rest - line);
  const size_t at = r->at;
  r->line++;
  r->count++;
  r->at += length;
  const int taken = *numbers == 't' ? take_text(r, r->at, out, why) : 1;
  if (!taken)
    r->at = at; // within the line of the text
  return taken;
}

struct fields {
  const char *at;
  int failed;
};

static double next_number(struct fields *f) {
  char *end;
  const double value = strtod(f->at, &end);
  f->failed |= end == f->at;
  f->at = end;
  return value;
}

static int next_whole(struct fields *f, int low, int high) {
  const double value = next_number(f);
  const int is_good = value >= low && value <= high;
  f->failed |= !is_good;
  return is_good ? (int)value : low;
}

static uint64_t next_count(struct fields *f) {
  char *end;
  const uint64_t value = strtoull(f->at, &end, 10);
  f->failed |= end == f->at;
  f->at = end;
  return value;
}

enum status journal_read_command(const struct journal_line *line, const struct command_def *def,
                                 struct command *out, struct reason *why) {
  char text[MOST_LINE];
  struct fields f = {.at = text};
  memset(out, 0, sizeof *out);
  snprintf(text, sizeof text, "%.*s", (int)line->size, line->text);
  out->sequence = next_count(&f);
  out->based_on_step = next_count(&f);
  out->standby = next_whole(&f, 0, 1);
  for (int i = 0; i < 6; i++)
    out->wrench_b[i] = next_number(&f);
  out->tensioner.given = next_whole(&f, 0, 1);
  out->tensioner.mode = (enum tensioner_mode)next_whole(&f, 0, 100);
  out->tensioner.tension_n = next_number(&f);
  out->tensioner.speed_mps = next_number(&f);
  out->thruster_count = next_whole(&f, 0, def->thruster_count);
  for (int i = 0; i < out->thruster_count && !f.failed; i++) {
    struct thruster_command *t = &out->thrusters[i];
    const int place = next_whole(&f, 0, def->thruster_count - 1);
    memcpy(t->name, def->thruster[place].name, sizeof t->name);
    t->enable = next_whole(&f, 0, 1);
    t->revolutions_rpm = next_number(&f);
    t->pitch = next_number(&f);
    t->azimuth_rad = next_number(&f);
  }
  if (!f.failed && !*f.at)
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT, "line %d: a command to this vessel expected", line->line);
}
