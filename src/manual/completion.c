#include "manual/manual.h"

#include "cli/option_table.h"

static void print_options(FILE *out, const struct command_text *command) {
  fprintf(out, "  %s) words=\"", command->name);
  for (int i = 0; i < OPTION_COUNT; i++)
    if (OPTION_SPECS[i].commands & (int)command->id)
      fprintf(out, " --%s", OPTION_SPECS[i].name);
  fputs("\" ;;\n", out);
}

int manual_completion(FILE *out) {
  fputs("# bash completion of sagbend, made from its tables\n"
        "_sagbend() {\n"
        "  local cur=${COMP_WORDS[COMP_CWORD]} words=\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "    words=\"--help --version",
        out);
  for (int i = 0; i < command_count(); i++)
    fprintf(out, " %s", command_text_at(i)->name);
  fputs("\"\n  else\n  case ${COMP_WORDS[1]} in\n", out);
  for (int i = 0; i < command_count(); i++)
    print_options(out, command_text_at(i));
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
