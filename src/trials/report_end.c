// The last parts: what was not tested, sharpness, reproduction, signatures.
#include "trials/report_parts.h"

#include "cli/version.h"

#include <stdlib.h>
#include <string.h>

// Failures with the same reason of neighbouring equipment share a row.
static void put_not_tested(const struct report *r) {
  static const char *const titles[] = {"Reason", ">Failures", "Which"};
  const struct failures *all = r->j->failures;
  fputs("<h2 class=\"page\" id=\"part-8\">8 Not tested</h2>\n", r->out);
  if (!all->excluded_count) {
    fputs("<p>Every failure of the list was tested.</p>\n", r->out);
    return;
  }
  report_put_head(r->out, titles, 3);
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
    fputs("<td class=\"small\">", r->out);
    for (int k = i, named = 0; k < all->excluded_count; k++)
      if (!strcmp(all->excluded[k].why, why)) {
        fputs(named++ ? ", " : "", r->out);
        markup_put(r->out, all->excluded[k].id);
      }
    fputs("</td></tr>\n", r->out);
  }
  fputs("</table>\n", r->out);
}

static void put_sharpness(const struct report *r) {
  static const char *const titles[] = {"Wrong controller", "What is wrong", "Found", ">Runs",
                                       ">Criteria",        "For example"};
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
  report_put_head(r->out, titles, 6);
  for (int i = 0; i < sharp.count; i++) {
    const struct sharp_controller *c = &sharp.item[i];
    if (!c->is_tried)
      continue;
    fputs("<tr>", r->out);
    const char *slash = strrchr(c->wrong->dp_file, '/');
    report_put_cell(r->out, slash ? slash + 1 : c->wrong->dp_file);
    report_put_cell(r->out, c->wrong->what);
    fputs(c->criteria ? "<td>found</td>" : "<td><b>NOT FOUND</b></td>", r->out);
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

static void put_reproduction(const struct report *r) {
  static const char *const titles[] = {"Program or file", "Build id or hash"};
  fputs("<h2 id=\"part-10\">10 Reproduction</h2>\n<p>The same build gives the same bits on every machine. A "
        "run is repeated by the "
        "command of its test sheet with the plan and the files below; its last line names the hash of the "
        "last state, which must be "
        "that of the sheet. <code>sagbend --version</code> names the build.</p>\n",
        r->out);
  report_put_head(r->out, titles, 2);
  fprintf(r->out, "<tr><td>sagbend %s</td><td><code>%s</code></td></tr>\n", program_version(),
          program_build_beside("sagbend").text);
  if (r->j->plan->mode == RUN_LOCKSTEP)
    fprintf(r->out, "<tr><td>sagbend-dp %s</td><td><code>%s</code></td></tr>\n", program_version(),
            program_build_beside("sagbend-dp").text);
  put_inputs(r);
  fputs("</table>\n<p>Each run has a folder <code>points/NUMBER</code> in that of these results, with its "
        "summary, what simulator "
        "and controller printed, and for runs with a finding A or B the recorded quantities. "
        "<code>results.json</code> contains all "
        "results for programs.</p>\n",
        r->out);
}

static void put_signatures(const struct report *r) {
  static const char *const titles[] = {"Role", "Name", "Date", "Signature"};
  const struct trial_report *t = &r->j->plan->report;
  fputs("<div style=\"break-inside:avoid\"><h2 id=\"part-11\">11 Signatures</h2>\n", r->out);
  fputs("<table class=\"lines\"><thead><tr>", r->out);
  for (int i = 0; i < 4; i++)
    fprintf(r->out, "<th>%s</th>", titles[i]);
  fputs("</tr></thead>\n", r->out);
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
