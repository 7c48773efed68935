#include "os/files/files_internal.h"
#include "sagbend/base/regular_file.h"

#include <errno.h>
#include <sodium.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_FILE = 64 << 10 };

enum status key_lines_open(struct key_lines *lines, const char *path, struct reason *why) {
  struct regular_file found;
  struct stat at;
  struct reason cause = {""};
  *lines = (struct key_lines){.path = path};
  if (regular_file_open(path, LARGEST_FILE, &found, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "%s: a readable key file expected: %s", path, cause.text);
  if (fstat(found.descriptor, &at) == 0 && (lines->file = fdopen(found.descriptor, "r"))) {
    setvbuf(lines->file, NULL, _IONBF, 0); // leaves no copy of a secret in a buffer
    lines->mode = at.st_mode & 07777;
    return STATUS_OK;
  }
  int error = errno;
  close(found.descriptor);
  return fail(why, STATUS_BAD_INPUT, "%s: %s", path, strerror(error));
}

enum status key_lines_fail(const struct key_lines *lines, struct reason *why, const char *format, ...) {
  char text[sizeof why->text];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return fail(why, STATUS_BAD_INPUT, "%s:%d: %s", lines->path, lines->line > 0 ? lines->line : 1, text);
}

static enum status cut(struct key_lines *lines, struct reason *why) {
  char *rest = NULL;
  for (char *word = strtok_r(lines->text, " \t\r\n", &rest); word; word = strtok_r(NULL, " \t\r\n", &rest)) {
    if (lines->count == KEY_WORDS)
      return key_lines_fail(lines, why, "at most %d words expected in a line", KEY_WORDS);
    lines->word[lines->count++] = word;
  }
  return STATUS_OK;
}

// The next line of the file without its end, whatever bytes it contains. *ended: there is none.
static enum status read_line(struct key_lines *lines, int *ended, struct reason *why) {
  int size = 0, c = fgetc(lines->file);
  *ended = c == EOF;
  for (lines->line += !*ended; c != EOF && c != '\n'; c = fgetc(lines->file)) {
    if (c == '\0')
      return key_lines_fail(lines, why, "a line of text expected, got a NUL byte");
    if (size == KEY_LINE - 2)
      return key_lines_fail(lines, why, "a line of at most %d characters expected", KEY_LINE - 2);
    lines->text[size++] = (char)c;
  }
  lines->text[size] = '\0';
  return ferror(lines->file) ? key_lines_fail(lines, why, "cannot be read") : STATUS_OK;
}

enum status key_lines_next(struct key_lines *lines, struct reason *why) {
  int ended = 0;
  enum status status = STATUS_OK;
  lines->count = 0;
  while (lines->count == 0 && !ended && status == STATUS_OK) {
    status = read_line(lines, &ended, why);
    if (status == STATUS_OK && lines->text[0] != '#')
      status = cut(lines, why);
  }
  return status;
}

void key_lines_close(struct key_lines *lines) {
  if (lines->file)
    fclose(lines->file);
  sodium_memzero(lines->text, sizeof lines->text);
  lines->file = NULL;
}
