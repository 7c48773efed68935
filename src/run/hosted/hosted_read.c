// Reads a journal: its head, and whether all of it is as it was written.
#include "run/hosted/hosted_internal.h"

#include "sagbend/base/base.h"

#include <stdlib.h>
#include <string.h>

// A hosted session has no clock: no messages of it are due.
static const char NO_TIMING[] = "log.timing_period_s=off";

static char *copy_of(const struct journal_line *line) {
  return strndup(line->text, line->size);
}

static int add_override(struct journal_head *h, char *text) {
  char **more = realloc(h->override, ((size_t)h->override_count + 1) * sizeof *more);
  if (more)
    h->override = more;
  if (!more || !text) {
    free(text);
    return 0;
  }
  h->override[h->override_count++] = text;
  return 1;
}

static int add_file(struct journal_head *h, char **path, const struct journal_line *line) {
  if (!**path) {
    h->main = (struct text_part){line->text, line->size};
    return 1;
  }
  if (h->file_count == MAX_CONFIG_POOL)
    return 0;
  h->file[h->file_count++] = (struct config_file){*path, (char *)line->text, line->size};
  *path = NULL;
  return 1;
}

static int add_restored(struct journal_head *h, uint64_t name) {
  uint64_t *more = realloc(h->restored, (h->restored_count + 1) * sizeof *more);
  if (!more)
    return 0;
  h->restored = more;
  h->restored[h->restored_count++] = name;
  return 1;
}

// A line of the head. 0: out of memory, or it does not belong there.
static int take_head_line(struct journal_head *h, const struct journal_line *line, char **path) {
  switch (line->kind) {
  case JOURNAL_BEGIN:
    return 1;
  case JOURNAL_LIBRARY:
    return !h->library && (h->library = copy_of(line));
  case JOURNAL_CASE:
    return !h->name && (h->name = copy_of(line));
  case JOURNAL_CONTROLLER:
    h->controller = line->number[0] != 0;
    return 1;
  case JOURNAL_PATH:
    free(*path);
    return (*path = copy_of(line)) != NULL;
  case JOURNAL_FILE:
    return *path && add_file(h, path, line);
  case JOURNAL_OVERRIDE:
    return add_override(h, copy_of(line));
  case JOURNAL_START:
    h->case_hash = line->number[0];
    h->start_hash = line->number[1];
    return 1;
  default:
    return 0;
  }
}

static enum status read_head(struct journal_reader *r, struct journal_head *h, struct reason *why) {
  struct journal_line line = {.kind = JOURNAL_BEGIN};
  char *path = NULL;
  int got = 0, is_good = 1;
  while (is_good && line.kind != JOURNAL_START && (got = journal_next(r, &line, why)) > 0)
    is_good = take_head_line(h, &line, &path);
  free(path);
  if (got < 0)
    return STATUS_BAD_INPUT;
  if (!got)
    return fail(why, STATUS_BAD_INPUT, "%.200s:%d:1: it breaks off before its first step", r->path, r->line);
  const char *mode = h->controller ? "simulation.mode=lockstep" : "simulation.mode=fast";
  is_good &= h->library && h->name && h->main.text && add_override(h, strdup(mode)) &&
             add_override(h, strdup(NO_TIMING));
  return is_good
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "%.200s:%d:1: the case of a journal expected", r->path, line.line);
}

static enum status check_line(const struct journal_reader *r, struct journal_head *h,
                              const struct journal_line *line, struct reason *why) {
  if (h->has_end)
    return fail(why, STATUS_BAD_INPUT, "%.200s:%d:1: the end of the journal expected, got more", r->path,
                line->line);
  if (line->kind < JOURNAL_COMMAND)
    return fail(why, STATUS_BAD_INPUT, "%.200s:%d:1: a line of the steps expected", r->path, line->line);
  h->has_end = line->kind == JOURNAL_END;
  h->sessions += line->kind == JOURNAL_RESTORE || line->kind == JOURNAL_RESET;
  if (h->sessions >= MOST_LOGS) // before anything is written
    return fail(why, STATUS_BAD_INPUT,
                "%.200s:%d:1: at most %d logs of one journal expected: each state that the host restores "
                "begins one",
                r->path, line->line, MOST_LOGS);
  return line->kind != JOURNAL_RESTORE || add_restored(h, line->number[0])
             ? STATUS_OK
             : fail(why, STATUS_NO_MEMORY, "out of memory for the journal");
}

enum status hosted_read(struct journal_reader *reader, struct journal_head *out, struct reason *why) {
  struct journal_line line;
  int got = 0;
  memset(out, 0, sizeof *out);
  enum status status = read_head(reader, out, why);
  struct journal_reader rest = *reader;
  while (status == STATUS_OK && (got = journal_next(&rest, &line, why)) > 0)
    status = check_line(&rest, out, &line, why);
  if (status == STATUS_OK && got == 0 && out->has_end && rest.at < rest.size)
    return fail(why, STATUS_BAD_INPUT, "%.200s:%d:1: the end of the journal expected, got more", rest.path,
                rest.line);
  return got < 0 ? STATUS_BAD_INPUT : status;
}

void hosted_head_free(struct journal_head *h) {
  for (int i = 0; i < h->override_count; i++)
    free(h->override[i]);
  for (int i = 0; i < h->file_count; i++)
    free(h->file[i].path);
  free(h->override);
  free(h->library);
  free(h->name);
  free(h->restored);
}
