// manual DIR DATE: writes the pages of the manual into a folder. Runs at build time only.
#include "programs/manual/manual_program.h"

#include "programs/dp/dp_program.h"
#include "programs/fmu/fmu_program.h"
#include "programs/lab/lab_program.h"
#include "programs/sagbend/sagbend_program.h"
#include "programs/view/view_program.h"
#include "verification/program/program.h"

#include <stdlib.h>
#include <string.h>

static const char *folder, *release;

static FILE *open_page(const char *name, int section) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.%d", folder, name, section);
  FILE *out = fopen(path, "w");
  if (!out) {
    perror(path);
    exit(EXIT_FAILURE);
  }
  return out;
}

static void close_page(FILE *out, const char *see_also) {
  fprintf(out, ".SH SEE ALSO\n%s\n", see_also);
  if (fclose(out) != 0) {
    perror(folder);
    exit(EXIT_FAILURE);
  }
}

static void write_command_page(const struct cli_command *command) {
  char name[64];
  snprintf(name, sizeof name, "sagbend-%s", command->name);
  struct help h = {.out = open_page(name, 1), .form = HELP_MANUAL, .release = release, .section = 1};
  if (command == &ctl_command)
    ctl_describe(&h);
  else
    command_describe(&h, command);
  close_page(h.out, ".BR sagbend (1),\n.BR sagbend\\-case (5)");
}

static void write_overview(void) {
  struct help h = {.out = open_page("sagbend", 1), .form = HELP_MANUAL, .release = release, .section = 1};
  program_describe(&h, &sagbend_program);
  help_heading(&h, "files", HELP_OPTION_COLUMN);
  help_row(&h, "/usr/share/sagbend/configs", "Cases, DP files, scenarios, and the schemas of both.");
  help_row(&h, "/usr/share/sagbend/proto", "Messages between the simulator and a controller.");
  help_row(&h, "/usr/share/doc/sagbend", "All other documentation.");
  fputs(".SH SEE ALSO\n", h.out);
  for (const struct command_entry *entry = sagbend_program.commands; entry->run; entry++)
    fprintf(h.out, ".BR sagbend\\-%s (1),\n", entry->command->name);
  fputs(".BR sagbend\\-lab (1),\n.BR sagbend\\-dp (1),\n.BR sagbend\\-view (1),\n.BR sagbend\\-case "
        "(5),\n.BR sagbend\\-dp\\-file "
        "(5)\n",
        h.out);
  fclose(h.out);
}

static void write_lab_page(void) {
  struct help h = {.out = open_page("sagbend-lab", 1), .form = HELP_MANUAL, .release = release, .section = 1};
  program_describe(&h, &lab_program);
  close_page(h.out,
             ".BR sagbend (1),\n.BR sagbend\\-verify (1),\n.BR sagbend\\-sweep (1),\n.BR sagbend\\-hydro (1),"
             "\n.BR sagbend\\-rao (1),\n.BR sagbend\\-trials (1)");
}

static void write_dp_pages(void) {
  struct help h = {.out = open_page("sagbend-dp", 1), .form = HELP_MANUAL, .release = release, .section = 1};
  dp_describe(&h);
  close_page(h.out, ".BR sagbend (1),\n.BR sagbend\\-dp\\-file (5)");
}

// sagbend-fmu(1) is the page of the command sagbend fmu; the program of that name has another one.
static void write_fmu_page(void) {
  struct help h = {
      .out = open_page("sagbend-fmu-controller", 1), .form = HELP_MANUAL, .release = release, .section = 1};
  fmu_controller_describe(&h);
  close_page(h.out,
             ".BR sagbend\\-fmu (1),\n.BR sagbend (1),\n.BR sagbend\\-start (1),\n.BR sagbend\\-trials (1)");
}

static void write_view_page(void) {
  struct help h = {
      .out = open_page("sagbend-view", 1), .form = HELP_MANUAL, .release = release, .section = 1};
  view_describe(&h);
  close_page(h.out, ".BR sagbend (1),\n.BR sagbend\\-run (1)");
}

static void write_completion(const char *name, int (*write)(FILE *out)) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "w");
  if (!out || write(out) != 0 || fclose(out) != 0) {
    perror(path);
    exit(EXIT_FAILURE);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fputs("usage: manual DIR DATE\n", stderr);
    return 2;
  }
  folder = argv[1];
  release = argv[2];
  write_overview();
  for (const struct command_entry *entry = sagbend_program.commands; entry->run; entry++)
    write_command_page(manual_command(entry));
  write_lab_page();
  write_dp_pages();
  write_fmu_page();
  write_view_page();
  write_completion("completion", manual_completion);
  write_completion("completion.zsh", manual_completion_zsh);
  write_completion("completion.fish", manual_completion_fish);

  FILE *out = open_page("sagbend-case", 5);
  manual_case_page(out, release);
  close_page(out, ".BR sagbend\\-run (1),\n.BR sagbend\\-check (1)");
  out = open_page("sagbend-dp-file", 5);
  manual_dp_page(out, release);
  close_page(out, ".BR sagbend\\-dp (1),\n.BR sagbend\\-check (1)");
  return 0;
}
