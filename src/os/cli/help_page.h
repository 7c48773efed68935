// The description of a program or command, written in one of two forms: the text that --help prints, or a
// page of the manual (man(7)). A description is a function that calls these, first help_begin, last
// help_examples.
#pragma once

#include <stdio.h>

enum help_form { HELP_TEXT, HELP_MANUAL };

enum { HELP_OPTION_COLUMN = 30 };

struct help {
  FILE *out;
  enum help_form form;
  const char *release; // manual: date of the version, "2026-11-22"
  int section;         // manual: 1 for a program, 5 for a file
  int column;          // text: where the right side of a row starts
};

// Name, purpose and usage. program: "sagbend run"; purpose: one sentence or more; usages: what follows the
// program's name, ends with NULL; none for a file.
void help_begin(struct help *h, const char *program, const char *purpose, const char *const *usages);

void help_text(struct help *h, const char *paragraph);

// A list. column: where the right side of its rows starts in the text.
void help_heading(struct help *h, const char *title, int column);
void help_row(struct help *h, const char *left, const char *right);

// A row "-c, --name VALUE"; value NULL: none.
void help_option(struct help *h, char letter, const char *name, const char *value, const char *help);

// statuses: "0 success; 1 the run failed"
void help_statuses(struct help *h, const char *statuses);

// lines: complete commands, ends with NULL
void help_examples(struct help *h, const char *const *lines);
