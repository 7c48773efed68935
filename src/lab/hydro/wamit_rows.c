#include "lab/hydro/wamit_rows.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_title(const char *line) {
  while (*line == ' ' || *line == '\t')
    line++;
  return isalpha((unsigned char)*line) && strncmp(line, "NaN", 3) != 0 && strncmp(line, "nan", 3) != 0;
}

enum status wamit_rows_read(struct wamit_rows *rows, const char *path, int fewest, int most, const char *what,
                            struct reason *why) {
  int room = 0;
  *rows = (struct wamit_rows){0};
  enum status status = text_file_open(&rows->file, path, why);
  while (status == STATUS_OK && text_file_next(&rows->file)) {
    if (rows->file.line == 1 && is_title(rows->file.buffer))
      continue;
    if (!*rows->file.buffer) {
      status = text_file_end(&rows->file, "an empty line", why);
      break;
    }
    if (rows->count == room) {
      room = room ? 2 * room : 1024;
      struct wamit_row *more = realloc(rows->row, (size_t)room * sizeof *more);
      if (!more)
        return fail(why, STATUS_NO_MEMORY, "out of memory for %.150s", path);
      rows->row = more;
    }
    struct wamit_row *row = &rows->row[rows->count++];
    *row = (struct wamit_row){.line = rows->file.line};
    status = text_file_numbers(&rows->file, fewest, most, row->number, &row->count, what, why);
  }
  if (status == STATUS_OK && rows->count == 0)
    status = fail(why, STATUS_BAD_INPUT, "%.100s:%d: %.80s expected, got the end of the file", path,
                  rows->file.line, what);
  return status;
}

void wamit_rows_free(struct wamit_rows *rows, struct hydro_report *report) {
  text_file_close(&rows->file, report);
  free(rows->row);
  rows->row = NULL;
}

enum status wamit_fail(const struct wamit_rows *rows, int row, struct reason *why, const char *expected,
                       ...) {
  char text[160];
  va_list arguments;
  va_start(arguments, expected);
  vsnprintf(text, sizeof text, expected, arguments);
  va_end(arguments);
  return fail(why, STATUS_BAD_INPUT, "%.90s:%d: %s", rows->file.path, rows->row[row].line, text);
}

enum status wamit_check_index(const struct wamit_rows *rows, int row, int column, struct reason *why) {
  if (text_is_whole(rows->row[row].number[column], 1, 6))
    return STATUS_OK;
  double mode = rows->row[row].number[column];
  return wamit_fail(rows, row, why, "a degree of freedom from 1 to 6 expected, got %g%s", mode,
                    mode > 6 ? " (one body only)" : "");
}
