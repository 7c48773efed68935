// report.html: the report that class reads, in the order of a proving trial report. One file without scripts.
#include "net/case/case.h"
#include "lab/sweep/point_run.h"
#include "lab/judge/again.h"
#include "lab/judge/intervention.h"
#include "lab/trials/trials_internal.h"

#include <stdlib.h>
#include <string.h>

const char *report_object(const struct trial_plan *p) {
  return *p->report.object ? p->report.object : p->name;
}

void report_command(const struct judgement *j, const struct judged_run *run, char *out, size_t size) {
  char *text = NULL, name[512];
  size_t length = 0;
  FILE *line = open_memstream(&text, &length);
  *out = '\0';
  if (!line)
    return;
  snprintf(name, sizeof name, "%s@%s", run->failure->id, j->plan->condition[run->condition].id);
  fputs("sagbend trials ", line);
  sweep_put_word(line, j->plan->path);
  const char *hash = run->stop_point ? run->unstopped.state_hash : run->seen.state_hash;
  fprintf(line, " --out again%s%s --run ", *hash ? " --hash " : "", hash);
  sweep_put_word(line, name);
  if (j->plan->tried) {
    fputs(" --wrong ", line);
    sweep_put_word(line, j->plan->tried->name);
  }
  for (int i = 0; i < j->plan->set.count; i++)
    if (!strcmp(j->plan->set.item[i].place, "--set")) {
      fputs(" --set ", line);
      sweep_put_word(line, j->plan->set.item[i].text);
    }
  if (fclose(line) == 0 && length < size)
    memcpy(out, text, length + 1);
  else if (length) // a part of it would be another command
    snprintf(out, size, "the command has %zu bytes, too many to be shown", length);
  free(text);
}

const struct observation *report_log(const struct judged_run *run, char *path, size_t size) {
  int is_first = *run->seen.log_digest != '\0';
  const struct observation *seen = is_first ? &run->seen : &run->repeated;
  snprintf(path, size, "%spoints/%06d/run.mcap",
           !is_first         ? TRIALS_AGAIN "/"
           : run->stop_point ? TRIALS_INTERVENTION "/"
                             : "",
           is_first && run->stop_point ? run->stop_point : run->point);
  return *seen->log_digest ? seen : NULL;
}

static enum status put_body(const struct report *r) {
  report_put_cover(r);
  report_put_summary(r);
  enum status status = report_put_system(r);
  report_put_matrix(r);
  if (status == STATUS_OK)
    status = report_put_worst_case(r);
  report_put_register(r);
  if (status == STATUS_OK)
    status = report_put_sheets(r);
  report_put_results(r);
  report_put_end(r);
  return status;
}

int report_write_html(const struct judgement *j, const struct findings *findings,
                      const struct sweep_folder *folder, FILE *out) {
  const char *text[PLAN_MAX_SETTINGS];
  struct config *config = malloc(sizeof *config);
  int count = 0;
  for (; count < j->plan->set.count && count < PLAN_MAX_SETTINGS; count++)
    text[count] = j->plan->set.item[count].text;
  if (!config || config_load(j->plan->base_path, text, count, config, NULL) != STATUS_OK) {
    free(config); // the command has read it before: only memory can be short
    return 0;
  }
  const struct report r = {j, findings, folder, config, out};
  report_put(out, HTML_REPORT_WRITE_HTML, report_object(j->plan), HTML_STYLE);
  enum status status = put_body(&r);
  fputs("</body></html>\n", out);
  config_free(config);
  free(config);
  return status == STATUS_OK;
}
