// Escapes text for XML and HTML.
#pragma once

#include <stdio.h>

// Writes text to out with &, <, > and " replaced by entities, and what XML does not allow as
// text_show shows it (sagbend/base/shown_text.h). Write errors show in ferror(out).
void markup_put(FILE *out, const char *text);
