// Pages of the manual about configuration keys, and the completion of command lines.
#include "programs/manual/manual_program.h"

#include "net/case/case.h"
#include "os/cli/cli.h"
#include "programs/lab/lab_program.h"
#include "programs/sagbend/sagbend_program.h"
#include "sagbend/case/case.h"
#include "sagbend/yaml/yaml.h"
#include "verification/program/program.h"

#include <string.h>

static void print_options(FILE *out, const struct cli_command *command) {
  fprintf(out, "  %s) words=\"", command->name);
  for (const struct option_row *row = command->options; row && row->name; row++)
    fprintf(out, " --%s", row->name);
  fputs("\" ;;\n", out);
}

int manual_completion(FILE *out) {
  fputs("# bash completion of sagbend, made from its tables\n"
        "_sagbend() {\n"
        "  local cur=${COMP_WORDS[COMP_CWORD]} words=\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "    words=\"--help --version",
        out);
  for (const struct command_entry *entry = sagbend_program.commands; entry->run; entry++)
    fprintf(out, " %s", entry->command->name);
  fputs("\"\n  else\n  case ${COMP_WORDS[1]} in\n", out);
  for (const struct command_entry *entry = sagbend_program.commands; entry->run; entry++)
    print_options(out, manual_command(entry));
  fputs("  esac\n  fi\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ] || [ \"${cur#-}\" != \"$cur\" ]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
        "  else\n"
        "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
        "  fi\n"
        "}\n"
        "complete -o filenames -F _sagbend sagbend\n",
        out);
  return ferror(out) ? -1 : 0;
}

// The first sentence of a help inside of single quotes, without what zsh and fish read as more than text.
static void print_sentence(FILE *out, const char *text) {
  const char *end = strstr(text, ". ");
  size_t size = end ? (size_t)(end - text) : strlen(text);
  if (size > 0 && text[size - 1] == '.')
    size--;
  for (size_t i = 0; i < size; i++)
    if (text[i] == '[' || text[i] == ']')
      fputc(text[i] == '[' ? '(' : ')', out);
    else if (!strchr("'\\:`$", text[i]))
      fputc(text[i], out);
}

int manual_completion_zsh(FILE *out) {
  fputs("#compdef sagbend\n"
        "# zsh completion of sagbend, made from its tables\n"
        "_sagbend() {\n"
        "  local -a commands\n"
        "  commands=(\n",
        out);
  for (const struct command_entry *entry = sagbend_program.commands; entry->run; entry++) {
    fprintf(out, "    '%s:", entry->command->name);
    print_sentence(out, manual_command(entry)->purpose);
    fputs("'\n", out);
  }
  fputs("  )\n"
        "  if (( CURRENT == 2 )); then\n"
        "    _describe command commands\n"
        "    return\n"
        "  fi\n"
        "  local command=$words[2]\n"
        "  shift words\n"
        "  (( CURRENT-- ))\n"
        "  case $command in\n",
        out);
  for (const struct command_entry *entry = sagbend_program.commands; entry->run; entry++) {
    fprintf(out, "  %s) _arguments", entry->command->name);
    for (const struct option_row *row = manual_command(entry)->options; row && row->name; row++) {
      fprintf(out, " '--%s[", row->name);
      print_sentence(out, row->help);
      fprintf(out, "]%s%s%s'", row->value ? ":" : "", row->value ? row->value : "",
              row->value ? ":_files" : "");
    }
    fputs(" '*:file:_files' ;;\n", out);
  }
  fputs("  esac\n"
        "}\n"
        "_sagbend \"$@\"\n",
        out);
  return ferror(out) ? -1 : 0;
}

int manual_completion_fish(FILE *out) {
  fputs("# fish completion of sagbend, made from its tables\n", out);
  for (const struct command_entry *entry = sagbend_program.commands; entry->run; entry++) {
    fprintf(out, "complete -c sagbend -n __fish_use_subcommand -f -a %s -d '", entry->command->name);
    print_sentence(out, manual_command(entry)->purpose);
    fputs("'\n", out);
    for (const struct option_row *row = manual_command(entry)->options; row && row->name; row++) {
      fprintf(out, "complete -c sagbend -n '__fish_seen_subcommand_from %s' -l %s%s -d '",
              entry->command->name, row->name, row->value ? " -r" : "");
      print_sentence(out, row->help);
      fputs("'\n", out);
    }
  }
  return ferror(out) ? -1 : 0;
}

// ------------------------------------------------------------
enum { MOST_CHOICES = 40 }; // of a word; more are the output quantities

static void describe_value(const struct key_def *key, char *out, size_t size) {
  struct expectation expected = schema_expectation(key);
  if (key->word_count > MOST_CHOICES)
    snprintf(expected.text, sizeof expected.text, "an output quantity of 'sagbend outputs'");
  int has_default = key->fallback && *key->fallback && !(key->accepts & (AS_SECTION | AS_ITEMS));
  snprintf(out, size, "Value: %.3000s%s%s%s%s%s", expected.text, key->unit ? ", in " : "",
           key->unit ? key->unit : "", has_default ? "; default " : "", has_default ? key->fallback : "",
           key->optional || key->fallback ? "" : "; required");
}

static void describe_keys(struct help *h, const struct schema *schema, const char *prefix) {
  int index = -1;
  for (const struct key_def *key; (key = schema_next_below(schema, prefix, &index));) {
    char value[4096], text[5120], below[160];
    describe_value(key, value, sizeof value);
    snprintf(text, sizeof text, "%s %s.", key->doc, value);
    help_row(h, key->path, text);
    snprintf(below, sizeof below, "%s%s", key->path, key->accepts & AS_ITEMS ? "[]" : "");
    if (key->accepts & (AS_SECTION | AS_ITEMS))
      describe_keys(h, schema, below);
  }
}

static const char *const NO_USAGES[] = {NULL};

void manual_case_page(FILE *out, const char *release) {
  static const char *const examples[] = {"vessel:", "  mass_kg: 1.2e7",
                                         "loads:", "  - {start_s: 10, force_n: [0, 600e3, 0]}", NULL};
  struct help h = {.out = out, .form = HELP_MANUAL, .release = release, .section = 5};
  struct schema schema = config_schema(&RUN_SECTIONS);
  help_begin(
      &h, "sagbend-case",
      "Configuration of a simulation: vessel, pipe, seabed, weather, instruments, scenario and network.",
      NO_USAGES);
  help_text(&h,
            "A case is a YAML file. 'sagbend check CASE' reports every error in it. The option --set "
            "KEY=VALUE of the commands overrides any key. A dot separates levels; [] stands for the items of "
            "a list, which --set names by number from 0.");
  help_heading(&h, "keys", HELP_OPTION_COLUMN);
  describe_keys(&h, &schema, "");
  help_examples(&h, examples);
  schema_free(&schema);
}

void manual_dp_page(FILE *out, const char *release) {
  static const char *const examples[] = {"pid:", "  start_s: 30", NULL};
  struct help h = {.out = out, .form = HELP_MANUAL, .release = release, .section = 5};
  struct schema schema = dp_schema();
  help_begin(&h, "sagbend-dp-file",
             "Configuration of the DP controller: gains, set-point, instruments, observer and thrusters.",
             NO_USAGES);
  help_text(&h,
            "A DP file is a YAML file. 'sagbend check --dp FILE' reports every error in it. The option --set "
            "KEY=VALUE of sagbend-dp overrides any key.");
  help_heading(&h, "keys", HELP_OPTION_COLUMN);
  describe_keys(&h, &schema, "");
  help_examples(&h, examples);
  schema_free(&schema);
}

const struct cli_command *manual_command(const struct command_entry *entry) {
  const struct cli_program *const others[] = {&lab_program, &verify_program};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    for (const struct command_entry *theirs = others[i]->commands; theirs->run; theirs++)
      if (!strcmp(theirs->command->name, entry->command->name))
        return theirs->command;
  return entry->command;
}
