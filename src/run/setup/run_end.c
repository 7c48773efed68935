#include "run/setup/run_end.h"

static const struct {
  const char *word, *text;
} ENDS[] = {
#define X(name, word, text) {word, text},
    RUN_END_TABLE(X)
#undef X
};

const char *run_end_word(enum run_end e) {
  return (unsigned)e < RUN_END_COUNT ? ENDS[e].word : "unknown";
}

const char *run_end_text(enum run_end e) {
  return (unsigned)e < RUN_END_COUNT ? ENDS[e].text : "unknown";
}
