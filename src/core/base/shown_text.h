// Text from outside (names of files, of peers, in logs) as people may read it: on one line, and without a
// byte that acts on a terminal.
#pragma once

#include <stddef.h>

// Copies text with line breaks, control characters, characters that turn or hide text, and bytes that are not
// UTF-8 as \n, \t, \r, \xHH or \u{H}. Cut at size, between characters. out may not overlap text.
void text_show(const char *text, char *out, size_t size);

struct shown_text {
  char text[1024];
};
struct shown_text shown(const char *text); // for use in an argument: shown(path).text
