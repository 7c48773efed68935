// The last parts: what was not tested, sharpness, reproduction, signatures.
#include "lab/trials/trials_internal.h"

#include "os/cli/version.h"

#include <stdlib.h>
#include <string.h>

static size_t equipment_size(const char *id) {
  return strcspn(id, "/");
}

static int is_same_equipment(const char *a, const char *b) {
  return equipment_size(a) == equipment_size(b) && !strncmp(a, b, equipment_size(a));
}

// Whether none of this equipment's failures is tried, and this one has the reason of all.
static int is_whole(const struct failures *all, int excluded, int *count) {
  const char *id = all->excluded[excluded].id;
  *count = 0;
  for (int i = 1; i < all->count; i++)
    if (is_same_equipment(all->item[i].id, id))
      return 0;
  for (int i = 0; i < all->excluded_count; i++)
    *count += is_same_equipment(all->excluded[i].id, id) &&
              !strcmp(all->excluded[i].why, all->excluded[excluded].why);
  return *count > 1;
}

// The failures with the reason of the first one; of equipment that is left out altogether its name only.
static void put_which(const struct report *r, int first) {
  const struct failures *all = r->j->failures;
  int named = 0, count;
  fputs("<td class=\"small\">", r->out);
  for (int k = first; k < all->excluded_count; k++) {
    const char *id = all->excluded[k].id;
    if (strcmp(all->excluded[k].why, all->excluded[first].why) != 0)
      continue;
    int whole = is_whole(all, k, &count);
    int again = 0;
    for (int i = first; i < k && whole && !again; i++)
      again = is_same_equipment(all->excluded[i].id, id) &&
              !strcmp(all->excluded[i].why, all->excluded[first].why);
    if (again)
      continue;
    fputs(named++ ? ", " : "", r->out);
    if (whole)
      fprintf(r->out, "%.*s (%d)", (int)equipment_size(id), id, count);
    else
      markup_put(r->out, id);
  }
  fputs("</td>", r->out);
}

// Failures with the same reason share a row.
static void put_not_tested(const struct report *r) {
  static const struct report_column columns[] = {{"Reason", 58, 0}, {"Failures", 18, 1}, {"Which", 102, 0}};
  const struct failures *all = r->j->failures;
  report_put(r->out, HTML_NOT_TESTED);
  if (!all->excluded_count) {
    report_put(r->out, HTML_NOT_TESTED_2);
    return;
  }
  report_put_head(r->out, columns, 3);
  for (int i = 0; i < all->excluded_count; i++) {
    const char *why = all->excluded[i].why;
    int is_new = 1, count = 0;
    for (int k = 0; k < i && is_new; k++)
      is_new = strcmp(all->excluded[k].why, why) != 0;
    if (!is_new)
      continue;
    for (int k = i; k < all->excluded_count; k++)
      count += !strcmp(all->excluded[k].why, why);
    report_put(r->out, HTML_NOT_TESTED_3, why, count);
    put_which(r, i);
    fputs("</tr>\n", r->out);
  }
  fputs("</table>\n", r->out);
}

static void put_sharpness(const struct report *r) {
  static const struct report_column columns[] = {
      {"Wrong controller", 42, 0}, {"What is wrong", 50, 0}, {"Found", 16, 0}, {"Runs", 12, 1},
      {"Criteria", 17, 1},         {"For example", 41, 0}};
  struct sharpness sharp;
  sharpness_read(r->j, r->folder, &sharp);
  report_put(r->out, HTML_SHARPNESS);
  if (!sharp.tried) {
    if (sharp.count)
      report_put(r->out, HTML_SHARPNESS_2);
    else
      report_put(r->out, HTML_SHARPNESS_NONE);
    return;
  }
  fprintf(r->out, "<p><b>%d of %d found.</b></p>\n", sharp.found, sharp.tried);
  report_put_head(r->out, columns, 6);
  for (int i = 0; i < sharp.count; i++) {
    const struct sharp_controller *c = &sharp.item[i];
    if (!c->is_tried)
      continue;
    report_put(r->out, HTML_SHARPNESS_3, c->wrong->name, c->wrong->what);
    fputs(sharp_is_found(c) ? "<td>found</td>" : "<td><b>NOT FOUND</b></td>", r->out);
    report_put(r->out, HTML_SHARPNESS_4, c->runs, c->criteria, c->first);
  }
  fputs("</table>\n", r->out);
}

// Lines "hash path" of the files that the first run has read.
static void put_inputs(const struct report *r) {
  struct point_record record;
  struct reason why;
  if (point_record_read(r->folder, 1, &record, &why) != STATUS_OK)
    return;
  for (char *line = record.inputs ? record.inputs : (char[]){0}; *line;) {
    size_t size = strcspn(line, "\n"), hash = strcspn(line, " ");
    char text[512];
    if (hash < size) {
      snprintf(text, sizeof text, "%.*s", (int)(size - hash - 1), line + hash + 1);
      report_put(r->out, HTML_INPUTS, text, (int)hash, line);
    }
    line += size + (line[size] == '\n');
  }
  point_record_free(&record);
}

// The logs of the runs, and how they are verified.
static void put_logs(const struct report *r) {
  int logs = 0, is_signed = 0;
  for (int i = 0; i < r->j->run_count; i++) {
    char path[64];
    const struct observation *log = report_log(&r->j->run[i], path, sizeof path);
    logs += log != NULL;
    is_signed += log && log->log_is_signed;
  }
  if (!logs) {
    report_put(r->out, HTML_LOGS);
    return;
  }
  if (is_signed)
    report_put(r->out, HTML_LOGS_SIGNED, logs, logs == 1 ? " was" : "s were",
               is_signed == logs ? "all signed" : "some of them signed");
  else
    report_put(r->out, HTML_LOGS_UNSIGNED, logs, logs == 1 ? " was" : "s were");
}

static void put_reproduction(const struct report *r) {
  static const struct report_column columns[] = {{"Program or file", 70, 0}, {"Build id or hash", 108, 0}};
  report_put(r->out, HTML_REPRODUCTION);
  report_put_head(r->out, columns, 2);
  fprintf(r->out, "<tr><td>sagbend %s</td><td><code>%s</code></td></tr>\n", program_version(),
          program_build_beside("sagbend").text);
  if (r->j->plan->mode == RUN_LOCKSTEP)
    fprintf(r->out, "<tr><td>sagbend-dp %s</td><td><code>%s</code></td></tr>\n", program_version(),
            program_build_beside("sagbend-dp").text);
  put_inputs(r);
  fputs("</table>\n", r->out);
  put_logs(r);
  report_put(r->out, HTML_REPRODUCTION_2);
}

static void put_signatures(const struct report *r) {
  static const struct report_column columns[] = {
      {"Role", 38, 0}, {"Name", 50, 0}, {"Date", 28, 0}, {"Signature", 62, 0}};
  const struct trial_report *t = &r->j->plan->report;
  fputs("<div class=\"signatures\"><h2 id=\"part-11\">11 Signatures</h2>\n", r->out);
  report_put_head(r->out, columns, 4);
  for (int i = 0; i < t->role_count; i++) {
    report_put(r->out, HTML_SIGNATURES, t->role[i]);
  }
  fputs("</table></div>\n", r->out);
}

void report_put_end(const struct report *r) {
  put_not_tested(r);
  put_sharpness(r);
  put_reproduction(r);
  put_signatures(r);
}
