#include "lab/trials/report.h"

#include "os/cli/version.h"
#include "sagbend/base/shown_text.h"
#include "os/files/output_file.h"
#include "lab/judge/tally.h"

#include <string.h>

enum report_file { REPORT_JSON, REPORT_JUNIT, REPORT_HTML };

static int write_kind(enum report_file kind, const struct judgement *j, const struct findings *findings,
                      const struct sweep_folder *folder, FILE *out) {
  switch (kind) {
  case REPORT_JSON:
    return report_write_json(j, findings, folder, out);
  case REPORT_JUNIT:
    return report_write_junit(j, out);
  case REPORT_HTML:
    return report_write_html(j, findings, folder, out);
  }
  return 0;
}

static enum status write_file(enum report_file kind, const char *name, const struct judgement *j,
                              const struct findings *findings, const struct sweep_folder *folder,
                              struct reason *why) {
  char path[SWEEP_PATH + 64];
  struct output_file file;
  snprintf(path, sizeof path, "%s/%s", folder->path, name);
  enum status status = output_file_open_atomic(&file, path, why);
  if (status != STATUS_OK)
    return status;
  if (write_kind(kind, j, findings, folder, file.stream))
    return output_file_close(&file, why);
  output_file_abandon(&file);
  return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
}

enum status report_write(const struct judgement *j, const struct sweep_folder *folder, struct reason *why) {
  struct findings findings;
  enum status status = findings_make(j, &findings);
  if (status != STATUS_OK)
    fail(why, status, "out of memory for the findings");
  if (status == STATUS_OK)
    status = write_file(REPORT_JSON, "results.json", j, &findings, folder, why);
  if (status == STATUS_OK)
    status = write_file(REPORT_JUNIT, "junit.xml", j, &findings, folder, why);
  if (status == STATUS_OK)
    status = write_file(REPORT_HTML, "report.html", j, &findings, folder, why);
  findings_free(&findings);
  return status;
}

void report_print(const struct judgement *j, const struct sweep_folder *folder) {
  struct statements all;
  statements_make(j, &all);
  for (int c = 0; c < j->plan->condition_count; c++)
    if (*j->outside[c])
      printf("%-20s %s: %s\n", "not judged", j->plan->condition[c].id, shown(j->outside[c]).text);
  printf("%-20s %d in %d conditions:", "runs", j->run_count, j->plan->condition_count);
  for (int s = 0; s < RUN_STATE_COUNT; s++)
    printf("%s %d %s", s ? "," : "", j->count[s], run_states[s].name);
  printf("\n%-20s %d A and B, of which %d are accepted; %d C\n", "failed runs", j->graded[0] + j->graded[1],
         j->graded[0] + j->graded[1] - j->open, j->graded[2]);
  for (int i = 0; i < all.count; i++)
    if (all.item[i].kind != STATEMENT_SHOWN)
      printf("%-20s %s\n", all.item[i].kind == STATEMENT_HEADLINE ? "verdict" : "missing",
             shown(all.item[i].text).text);
  printf("%-20s %s/report.html\n", "report", shown(folder->path).text);
}
