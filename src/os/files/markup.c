#include "os/files/markup.h"

#include "sagbend/base/shown_text.h"

void markup_put(FILE *out, const char *text) {
  while (*text) {
    char piece[SHOWN_PIECE];
    if (*text == '\n' || *text == '\t') { // all that XML allows of what text_show replaces
      fputc(*text++, out);
      continue;
    }
    text_show_next(&text, piece);
    switch (*piece) {
    case '&':
      fputs("&amp;", out);
      break;
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    default:
      fputs(piece, out);
    }
  }
}
