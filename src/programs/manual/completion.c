#include "programs/manual/manual_program.h"

#include "programs/sagbend/sagbend_program.h"

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
