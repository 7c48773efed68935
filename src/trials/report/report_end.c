// The last parts: what was not tested, sharpness, reproduction, signatures.
#include "trials/report/report_parts.h"

#include "cli/version.h"

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
  fputs("<h2 class=\"page\" id=\"part-8\">8 Not tested</h2>\n", r->out);
  if (!all->excluded_count) {
    fputs("<p>Every failure of the list was tested.</p>\n", r->out);
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
    fputs("<tr>", r->out);
    report_put_cell(r->out, why);
    report_put_number(r->out, "%d", count);
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
  fputs("<h2 id=\"part-9\">9 Sharpness</h2>\n<p>A method of test must find a controller that is wrong. Each "
        "of the wrong "
        "controllers of the plan differs from the one under test in one thing. It is found if a criterion "
        "fails that holds with "
        "the one under test.</p>\n",
        r->out);
  if (!sharp.tried) {
    fprintf(r->out, "<p>Not tried in these trials%s.</p>\n",
            sharp.count ? ": <code>sagbend trials --sharpness</code> tries the wrong controllers of the plan"
                        : "; the plan has no wrong controllers");
    return;
  }
  fprintf(r->out, "<p><b>%d of %d found.</b></p>\n", sharp.found, sharp.tried);
  report_put_head(r->out, columns, 6);
  for (int i = 0; i < sharp.count; i++) {
    const struct sharp_controller *c = &sharp.item[i];
    if (!c->is_tried)
      continue;
    fputs("<tr>", r->out);
    report_put_cell(r->out, c->wrong->name);
    report_put_cell(r->out, c->wrong->what);
    fputs(sharp_is_found(c) ? "<td>found</td>" : "<td><b>NOT FOUND</b></td>", r->out);
    report_put_number(r->out, "%d", c->runs);
    report_put_number(r->out, "%d", c->criteria);
    report_put_cell(r->out, c->first);
    fputs("</tr>\n", r->out);
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
      fputs("<tr>", r->out);
      report_put_cell(r->out, text);
      fprintf(r->out, "<td><code>%.*s</code></td></tr>\n", (int)hash, line);
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
    fputs("<p>No session log was kept: a run is repeated by its command.</p>\n", r->out);
    return;
  }
  fprintf(r->out, "<p>%d session log%s kept, %s. ", logs, logs == 1 ? " was" : "s were",
          is_signed == logs ? "all signed"
          : is_signed       ? "some of them signed"
                            : "not signed (<code>log_key</code> of the plan signs them)");
  fprintf(r->out,
          "Each test sheet names the digest of its log, which <code>sagbend replay LOG --verify%s</code> "
          "recomputes from the "
          "log: it proves that the log is whole and belongs to this program and configuration, and that the "
          "run repeats.</p>\n",
          is_signed ? " --key KEY.pub" : "");
}

static void put_reproduction(const struct report *r) {
  static const struct report_column columns[] = {{"Program or file", 70, 0}, {"Build id or hash", 108, 0}};
  fputs("<h2 id=\"part-10\">10 Reproduction</h2>\n<p>The same build gives the same bits on every machine. A "
        "run is repeated by the "
        "command of its test sheet with the plan and the files below; its last line says whether the hash of "
        "the "
        "last state is that of the sheet. <code>sagbend --version</code> names the build.</p>\n",
        r->out);
  report_put_head(r->out, columns, 2);
  fprintf(r->out, "<tr><td>sagbend %s</td><td><code>%s</code></td></tr>\n", program_version(),
          program_build_beside("sagbend").text);
  if (r->j->plan->mode == RUN_LOCKSTEP)
    fprintf(r->out, "<tr><td>sagbend-dp %s</td><td><code>%s</code></td></tr>\n", program_version(),
            program_build_beside("sagbend-dp").text);
  put_inputs(r);
  fputs("</table>\n", r->out);
  put_logs(r);
  fputs("<p>Each run has a folder <code>points/NUMBER</code> in that of these results, with its "
        "summary, what simulator "
        "and controller printed, a few quantities once a second (<code>series.csv</code>), and for runs with "
        "a finding A or B all recorded quantities. "
        "<code>results.json</code> contains all "
        "results for programs.</p>\n",
        r->out);
}

static void put_signatures(const struct report *r) {
  static const struct report_column columns[] = {
      {"Role", 38, 0}, {"Name", 50, 0}, {"Date", 28, 0}, {"Signature", 62, 0}};
  const struct trial_report *t = &r->j->plan->report;
  fputs("<div class=\"signatures\"><h2 id=\"part-11\">11 Signatures</h2>\n", r->out);
  report_put_head(r->out, columns, 4);
  for (int i = 0; i < t->role_count; i++) {
    fputs("<tr>", r->out);
    report_put_cell(r->out, t->role[i]);
    fputs("<td></td><td></td><td></td></tr>\n", r->out);
  }
  fputs("</table></div>\n", r->out);
}

void report_put_end(const struct report *r) {
  put_not_tested(r);
  put_sharpness(r);
  put_reproduction(r);
  put_signatures(r);
}
