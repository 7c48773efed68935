#include "run/start/start_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Copies the word that begins at *at, as far as there is room. Returns its size with its zero; 0: it has no
// end, or no room.
static size_t take_word(const char **at, const struct ready *ready, char *out, size_t room) {
  size_t size = 0;
  char quote = '\0';
  for (; **at && (quote || (**at != ' ' && **at != '\t')); ++*at) {
    const struct ready_mark mark = **at == '{' ? ready_mark_at(*at, ready) : (struct ready_mark){.size = 0};
    const size_t length = strlen(mark.text);
    if (size + length + 2 > room)
      return 0;
    if (quote ? **at == quote : **at == '\'' || **at == '"') {
      quote = quote ? '\0' : **at;
    } else if (mark.size) {
      memcpy(out + size, mark.text, length);
      size += length;
      *at += mark.size - 1;
    } else {
      out[size++] = **at;
    }
  }
  out[size++] = '\0';
  return quote ? 0 : size;
}

enum status command_split(const char *text, const struct ready *ready, struct command_words *out,
                          struct reason *why) {
  static const struct ready nothing;
  size_t used = 0;
  int count = 0, any = 0;
  const char *where = text;
  const struct ready_mark missing =
      ready ? ready_mark_missing(text, ready, &any, &where) : (struct ready_mark){.size = 0};
  if (missing.size)
    return fail(why, STATUS_BAD_INPUT, "--controller: %.*s: the case has no such place", (int)missing.size,
                where);
  for (const char *at = text + strspn(text, " \t"); *at; at += strspn(at, " \t")) {
    size_t size = count < COMMAND_WORDS
                      ? take_word(&at, ready ? ready : &nothing, out->text + used, sizeof out->text - used)
                      : 0;
    if (!size)
      return fail(why, STATUS_BAD_INPUT,
                  "--controller: at most %d words and %d characters, with an end to each quote, expected, "
                  "got '%.120s'",
                  COMMAND_WORDS, COMMAND_TEXT, text);
    out->word[count++] = out->text + used;
    used += size;
  }
  out->word[count] = NULL;
  return count ? STATUS_OK
               : fail(why, STATUS_BAD_INPUT, "--controller: a command expected, got '%.20s'", text);
}

int command_is_found(const char *program) {
  char path[COMMAND_TEXT];
  const char *folders = getenv("PATH");
  if (strchr(program, '/') || !folders)
    return access(program, X_OK) == 0;
  for (const char *at = folders;; at++) {
    size_t size = strcspn(at, ":");
    int length = snprintf(path, sizeof path, "%.*s%s%s", (int)size, at, size ? "/" : "", program);
    if (length < (int)sizeof path && access(path, X_OK) == 0)
      return 1;
    at += size;
    if (!*at)
      return 0;
  }
}
