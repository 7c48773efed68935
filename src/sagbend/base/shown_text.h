// Text from outside (names of files, of peers, in logs) as people may read it: on one line, and without a
// byte that acts on a terminal.
#pragma once

#include "sagbend/base/nonblocking.h"

#include <stddef.h>

enum { SHOWN_PIECE = 12 }; // bytes of the longest piece with its final zero

// Takes the next character of *text, which is not at its end. A line break, a control character, a character
// that turns or hides text, and a byte that is not UTF-8 become \n, \t, \r, \xHH or \u{H}; all others stay.
// Returns the length of the piece.
size_t text_show_next(const char **text, char piece[SHOWN_PIECE]) NONBLOCKING;

// The same for a string of JSON, for bytes from 0x7f on: such a character becomes \uHHHH, a byte that is not
// UTF-8
// \ufffd. Other characters stay.
size_t text_show_next_json(const char **text, char piece[SHOWN_PIECE]);

// The whole text. Cut at size, between characters; out may not overlap text.
void text_show(const char *text, char *out, size_t size) NONBLOCKING;

struct shown_text {
  char text[1024];
};
struct shown_text shown(const char *text); // for use in an argument: shown(path).text
