// How a table of options names members (os/cli/cli.h).
#pragma once

#include "os/cli/cli.h"

// The end of a row: options is the struct of the command. A member of another type does not compile.
#define OPTION_MEMBER(options, member, type) _Generic(((options *)0)->member, type: offsetof(options, member))
#define OPTION_END                           NULL, FILE_UNUSED, 0
#define FLAG(options, member)                SET_FLAG, OPTION_MEMBER(options, member, int), OPTION_END
#define TEXT(options, member)    SET_TEXT, OPTION_MEMBER(options, member, const char *), OPTION_END
#define TEXTS(options, member)   ADD_TEXT, OPTION_MEMBER(options, member, struct option_texts), OPTION_END
#define SECONDS(options, member) SET_SECONDS, OPTION_MEMBER(options, member, double), OPTION_END
#define FACTOR(options, member)  SET_FACTOR, OPTION_MEMBER(options, member, double), OPTION_END
#define TIME(options, member)    SET_TIME, OPTION_MEMBER(options, member, double), OPTION_END
#define COUNT(options, member)   SET_COUNT, OPTION_MEMBER(options, member, int), OPTION_END
#define KEY(options, member, key)                                                                            \
  ADD_KEY, OPTION_MEMBER(options, member, struct case_options), key, FILE_UNUSED, 0
#define FILE_NAME(options, member, use) SET_TEXT, OPTION_MEMBER(options, member, const char *), NULL, use, 0

// Rows that several commands have. The last one ends the table.
#define SET_OPTION(options, member)                                                                          \
  {"set",                                                                                                    \
   "KEY=VALUE",                                                                                              \
   "Override a configuration key; may be repeated. The value is checked like the file.",                     \
   ADD_SETTING,                                                                                              \
   OPTION_MEMBER(options, member, struct case_options),                                                      \
   OPTION_END}
#define JSON_OPTION(options, member) {"json", NULL, "Print JSON instead of a table.", FLAG(options, member)}
#define HELP_OPTION                  {"help", NULL, "Print this help.", SHOW_HELP, 0, OPTION_END}, {0}

// The words that are not options.
#define WORD(kind, options, member) {kind, OPTION_MEMBER(options, member, const char *)}
#define WORDS(options, member)      {FILE_WORDS, OPTION_MEMBER(options, member, struct option_files)}
