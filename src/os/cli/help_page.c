// The help of a program, its list of commands, its version.
#include "os/cli/cli.h"

#include "os/process/process.h"
#include "sagbend/base/base.h"

#include <ctype.h>
#include <string.h>

enum { TEXT_COLUMNS = 80, MANUAL_COLUMNS = 72 };

static int is_manual(const struct help *h) {
  return h->form == HELP_MANUAL;
}

void print_wrapped(FILE *out, const char *text, int indent, int columns) {
  int column = indent;
  for (const char *word = text; *word;) {
    int size = (int)strcspn(word, " ");
    if (column > indent && column + 1 + size > columns) {
      fprintf(out, "\n%*s", indent, "");
      column = indent;
    } else if (column > indent) {
      fputc(' ', out);
      column++;
    }
    fprintf(out, "%.*s", size, word);
    column += size;
    word += size + (word[size] == ' ');
  }
  fputc('\n', out);
}

// Prints size characters so that troff prints them as they are.
static void print_literal(FILE *out, const char *text, size_t size) {
  for (size_t i = 0; i < size; i++) {
    const char *escape = text[i] == '\\'   ? "\\e"
                         : text[i] == '-'  ? "\\-"
                         : text[i] == '\'' ? "\\(aq"
                         : text[i] == '^'  ? "\\(ha"
                         : text[i] == '~'  ? "\\(ti"
                         : text[i] == '`'  ? "\\(ga"
                                           : NULL;
    if (escape)
      fputs(escape, out);
    else
      fputc(text[i], out);
  }
}

// Prints a text for troff, which breaks the lines itself: a new line after each sentence, none beyond the
// columns.
static void print_paragraph(FILE *out, const char *text) {
  size_t column = 0;
  for (const char *word = text; *word;) {
    size_t size = strcspn(word, " ");
    int sentence_ended = word > text + 1 && strchr(".:", word[-2]) && column > 0;
    if (sentence_ended || column + 1 + size > MANUAL_COLUMNS) {
      if (column > 0)
        fputc('\n', out);
      column = 0;
    } else if (column > 0) {
      fputc(' ', out);
      column++;
    }
    if (column == 0 && strchr(".'", *word))
      fputs("\\&", out);
    print_literal(out, word, size);
    column += size;
    word += size + (word[size] == ' ');
  }
  fputc('\n', out);
}

static void print_upper(FILE *out, const char *text) {
  for (; *text; text++)
    fputc(toupper((unsigned char)*text), out);
}

// "sagbend run": "sagbend-run", the name of the page.
static void print_page_name(FILE *out, const char *program) {
  for (; *program; program++)
    fputs(*program == ' ' || *program == '-' ? "\\-" : (char[]){*program, '\0'}, out);
}

// The first sentence, without capital and full stop, as the list of all pages (apropos) has it.
static void print_short_purpose(FILE *out, const char *purpose) {
  const char *end = strstr(purpose, ". ");
  size_t size = end ? (size_t)(end - purpose) : strcspn(purpose, "\n");
  if (size > 0 && purpose[size - 1] == '.')
    size--;
  if (size > 1 && islower((unsigned char)purpose[1])) {
    fputc(tolower((unsigned char)*purpose), out);
    purpose++;
    size--;
  }
  print_literal(out, purpose, size);
  fputc('\n', out);
}

static void begin_manual(struct help *h, const char *program, const char *purpose,
                         const char *const *usages) {
  FILE *out = h->out;
  fputs(".TH ", out);
  for (const char *c = program; *c; c++)
    fputc(*c == ' ' ? '-' : toupper((unsigned char)*c), out);
  fprintf(out, " %d \"%s\" \"Sagbend\" \"Sagbend\"\n.nh\n.ad l\n.SH NAME\n", h->section, h->release);
  print_page_name(out, program);
  fputs(" \\- ", out);
  print_short_purpose(out, purpose);
  if (*usages)
    fputs(".SH SYNOPSIS\n", out);
  for (; *usages; usages++) {
    fputs(".B ", out);
    print_literal(out, program, strlen(program));
    fputc('\n', out);
    if (**usages)
      print_paragraph(out, *usages);
    if (usages[1])
      fputs(".br\n", out);
  }
  fputs(".SH DESCRIPTION\n", out);
  print_paragraph(out, purpose);
}

void help_begin(struct help *h, const char *program, const char *purpose, const char *const *usages) {
  h->column = HELP_OPTION_COLUMN;
  if (is_manual(h)) {
    begin_manual(h, program, purpose, usages);
    return;
  }
  for (int i = 0; usages[i]; i++) {
    fprintf(h->out, "%s %s%s", i ? "      " : "usage:", program, *usages[i] ? " " : "");
    print_wrapped(h->out, usages[i], 8 + (int)strlen(program), TEXT_COLUMNS);
  }
  print_wrapped(h->out, purpose, 0, TEXT_COLUMNS);
}

void help_text(struct help *h, const char *paragraph) {
  fputs(is_manual(h) ? ".PP\n" : "\n", h->out);
  if (is_manual(h))
    print_paragraph(h->out, paragraph);
  else
    print_wrapped(h->out, paragraph, 0, TEXT_COLUMNS);
}

void help_heading(struct help *h, const char *title, int column) {
  h->column = column;
  if (is_manual(h)) {
    fputs(".SH ", h->out);
    print_upper(h->out, title);
    fputc('\n', h->out);
  } else {
    fprintf(h->out, "\n%s:\n", title);
  }
}

void help_row(struct help *h, const char *left, const char *right) {
  if (is_manual(h)) {
    fputs(".TP\n.B ", h->out);
    print_literal(h->out, left, strlen(left));
    fputc('\n', h->out);
    print_paragraph(h->out, right);
    return;
  }
  int fits = (int)strlen(left) + 3 <= h->column;
  fprintf(h->out, "  %-*s", h->column - 2, left);
  if (!fits)
    fprintf(h->out, "\n%*s", h->column, "");
  print_wrapped(h->out, right, h->column, TEXT_COLUMNS);
}

void help_option(struct help *h, char letter, const char *name, const char *value, const char *help) {
  char left[64];
  snprintf(left, sizeof left, "-%c, --%s%s%s", letter, name, value ? " " : "", value ? value : "");
  help_row(h, left, help);
}

void help_statuses(struct help *h, const char *statuses) {
  if (!is_manual(h)) {
    fputs("\nexit status: ", h->out);
    print_wrapped(h->out, statuses, 13, TEXT_COLUMNS);
    return;
  }
  fputs(".SH EXIT STATUS\n", h->out);
  print_paragraph(h->out, statuses);
}

void help_examples(struct help *h, const char *const *lines) {
  if (is_manual(h))
    fputs(".SH EXAMPLES\n.EX\n", h->out);
  else
    fprintf(h->out, "\nexample%s:\n", lines[1] ? "s" : "");
  for (; *lines; lines++) {
    if (is_manual(h))
      print_literal(h->out, *lines, strlen(*lines));
    else
      fprintf(h->out, "  %s", *lines);
    fputc('\n', h->out);
  }
  if (is_manual(h))
    fputs(".EE\n", h->out);
}

// ------------------------------------------------------------
const char *program_version(void) {
  return SAGBEND_VERSION;
}

struct build_id program_build(void) {
  struct build_id id;
  os_build_id(id.text);
  return id;
}

struct build_id program_build_beside(const char *name) {
  struct build_id id = {"unknown"};
  struct reason why;
  char path[PROGRAM_PATH];
  if (program_beside(name, path, &why) == STATUS_OK)
    os_build_id_of(path, id.text);
  return id;
}

// ------------------------------------------------------------
void program_describe(struct help *h, const struct cli_program *program) {
  static const char *const usages[] = {"COMMAND [options]", "--help", "--version", NULL};
  const char *const examples[] = {program->example, NULL};
  char text[256];
  help_begin(h, program->name, program->purpose, usages);
  snprintf(text, sizeof text,
           "'%s COMMAND --help' shows the options, the exit statuses and an example of a command. '%s "
           "--version' prints the version.",
           program->name, program->name);
  help_text(h, text);
  help_heading(h, "commands", 11);
  for (const struct command_entry *entry = program->commands; entry->run; entry++)
    help_row(h, entry->command->name, entry->command->purpose);
  help_statuses(h, program->statuses);
  help_examples(h, examples);
}

int program_main(const struct cli_program *program, int argc, char **argv) {
  os_survive_closed_streams();
  os_name_thread(program->name); // serve starts sagbend as /proc/self/exe, and ps would show "exe"
  const char *name = argc > 1 ? argv[1] : NULL;
  if (name && !strcmp(name, KEEPER_WORD))
    return keeper_main(argc - 1, argv + 1);
  if (!name) {
    fprintf(stderr, "%s: a command is missing; see '%s --help'\n", program->name, program->name);
    return EXIT_USAGE;
  }
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
    program_describe(&(struct help){.out = stdout}, program);
    return EXIT_DONE;
  }
  if (!strcmp(name, "--version")) {
    printf("%s %s, build %s\n", program->name, program_version(), program_build().text);
    return EXIT_DONE;
  }

  for (const struct command_entry *entry = program->commands; entry->run; entry++)
    if (!strcmp(name, entry->command->name))
      return entry->run(argc - 1, argv + 1);
  struct nearest nearest = nearest_to(name);
  for (const struct command_entry *entry = program->commands; entry->run; entry++)
    nearest_try(&nearest, entry->command->name);
  fprintf(stderr, "%s: unknown command '%s'%s; see '%s --help'\n", program->name, shown(name).text,
          nearest_hint(&nearest).text, program->name);
  return EXIT_USAGE;
}
