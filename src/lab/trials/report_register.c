// The register of findings.
#include "lab/trials/trials_internal.h"

#include "lab/judge/judge.h"
#include "os/cli/cli.h"
#include "sagbend/faults/faults.h"
#include "sagbend/orders/orders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "gnss-1, gnss-2; S1, S2": each once.
static void put_where(const struct report *r, const struct finding *f) {
  enum { NAMED = 8 };
  int named = 0;
  for (int k = 0; k < f->run_count; k++) {
    const char *name = r->j->run[f->run[k]].failure->equipment;
    int is_new = *name != '\0';
    for (int i = 0; i < k && is_new; i++)
      is_new = strcmp(r->j->run[f->run[i]].failure->equipment, name) != 0;
    if (!is_new)
      continue;
    if (named < NAMED) {
      fputs(named ? ", " : "", r->out);
      markup_put(r->out, name);
    }
    named++;
  }
  if (named > NAMED)
    report_put(r->out, HTML_REGISTER_WHERE, named - NAMED);
  fputs(named ? "; in " : "in ", r->out);
  for (int k = 0, last = -1; k < f->run_count; k++) {
    int c = r->j->run[f->run[k]].condition; // the runs stand condition by condition
    if (c == last)
      continue;
    fputs(last < 0 ? "" : ", ", r->out);
    markup_put(r->out, r->j->plan->condition[c].id);
    last = c;
  }
}

static void put_failure(const struct report *r, const struct finding *f) {
  char modes[400];
  finding_modes(r->j, f, modes, sizeof modes);
  report_put(r->out, HTML_REGISTER_FAILURE, f->kind);
  fputs(f->group == FAILURE_COMMON      ? ", common cause"
        : f->group == FAILURE_HIDDEN    ? ", hidden and second"
        : f->group == FAILURE_OPERATION ? ", operation"
                                        : "",
        r->out);
  fputs(*modes ? ": " : "", r->out);
  report_put(r->out, HTML_REGISTER_FAILURE_2, modes);
  put_where(r, f);
  fputs("</small></td>", r->out);
}

static void put_observation(const struct report *r, const struct finding *f) {
  const struct judged_run *worst = &r->j->run[f->worst];
  report_put(r->out, HTML_OBSERVATION, finding_sentence(f), finding_reason(f),
             worst->criterion[f->complaint].text, worst->point, report_id(r, worst).text);
}

// The owner's words where a run is accepted; else room for them.
static void put_response(const struct report *r, const struct finding *f) {
  const char *last = "";
  int accepted = 0;
  fputs("<td>", r->out);
  for (int k = 0; k < f->run_count; k++) {
    const char *why = r->j->run[f->run[k]].accepted;
    accepted += *why != '\0';
    if (*why && strcmp(why, last) != 0) {
      fputs(*last ? "; " : "accepted: ", r->out);
      markup_put(r->out, why);
      last = why;
    }
  }
  if (accepted && accepted < f->run_count)
    fprintf(r->out, "<br>(%d of %d runs)", accepted, f->run_count);
  fputs("</td>", r->out);
}

static void put_short(const struct report *r) {
  static const struct report_column columns[] = {
      {"No.", 14, 0}, {"Failure", 68, 0}, {"Complaint", 84, 0}, {"Runs", 12, 1}};
  fputs("<h3>Findings C</h3>\n", r->out);
  report_put_head(r->out, columns, 4);
  for (int i = 0; i < r->findings->count; i++) {
    const struct finding *f = &r->findings->item[i];
    if (f->grade != 'C')
      continue;
    fprintf(r->out, "<tr><td class=\"w\"><span class=\"tag gC\">%s</span></td>", f->id);
    put_failure(r, f);
    report_put(r->out, HTML_REGISTER_SHORT, r->j->run[f->worst].criterion[f->complaint].text, f->run_count);
  }
  fputs("</table>\n", r->out);
}

void report_put_register(const struct report *r) {
  static const struct report_column columns[] = {{"No.", 14, 0},
                                                 {"Failure", 46, 0},
                                                 {"Observation", 69, 0},
                                                 {"Runs", 11, 1},
                                                 {"Response of the owner", 38, 0}};
  int urgent = 0;
  report_put(r->out, HTML_REGISTER);
  for (int i = 0; i < r->findings->count; i++)
    urgent += r->findings->item[i].grade != 'C';
  if (urgent)
    report_put_head(r->out, columns, 5);
  else
    report_put(r->out, HTML_REGISTER_NONE, tally_of(r->j).judged, r->j->run_count);
  for (int i = 0; i < urgent; i++) {
    const struct finding *f = &r->findings->item[i];
    fprintf(r->out, "<tr><td class=\"w\"><span class=\"tag g%c\">%s</span></td>", f->grade, f->id);
    put_failure(r, f);
    put_observation(r, f);
    report_put_number(r->out, "%d", f->run_count);
    put_response(r, f);
    fputs("</tr>\n", r->out);
  }
  fputs(urgent ? "</table>\n" : "", r->out);
  if (urgent < r->findings->count)
    put_short(r);
}

// ------------------------------------------------------------
// The last parts: what was not tested, seeded faults, reproduction, signatures.

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

static void put_seeded_faults(const struct report *r) {
  static const struct report_column columns[] = {{"Controller with a seeded fault", 42, 0},
                                                 {"Seeded fault", 50, 0},
                                                 {"Found", 16, 0},
                                                 {"Runs", 12, 1},
                                                 {"Criteria", 17, 1},
                                                 {"For example", 41, 0}};
  struct seeded_faults seeded;
  seeded_faults_read(r->j, r->folder, &seeded);
  report_put(r->out, HTML_SEEDED_FAULTS);
  if (!seeded.tried) {
    if (seeded.count)
      report_put(r->out, HTML_SEEDED_FAULTS_2);
    else
      report_put(r->out, HTML_SEEDED_FAULTS_NONE);
    return;
  }
  fprintf(r->out, "<p><b>%d of %d found.</b></p>\n", seeded.found, seeded.tried);
  report_put_head(r->out, columns, 6);
  for (int i = 0; i < seeded.count; i++) {
    const struct seeded_result *c = &seeded.item[i];
    if (!c->is_tried)
      continue;
    report_put(r->out, HTML_SEEDED_FAULTS_3, c->seeded->name, c->seeded->what);
    fputs(seeded_is_found(c) ? "<td>found</td>" : "<td><b>NOT FOUND</b></td>", r->out);
    report_put(r->out, HTML_SEEDED_FAULTS_4, c->runs, c->criteria, c->first);
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

// Whether sagbend-dp is the controller, or runs behind its command.
static int starts_dp(const struct plan_controller *own) {
  int is_dp = !own->argument_count;
  for (int i = 0; i < own->argument_count; i++)
    is_dp |= !strcmp(own->argument[i], "sagbend-dp");
  return is_dp;
}

static void put_reproduction(const struct report *r) {
  static const struct report_column columns[] = {{"Program or file", 70, 0}, {"Build id or hash", 108, 0}};
  report_put(r->out, HTML_REPRODUCTION);
  report_put_head(r->out, columns, 2);
  fprintf(r->out, "<tr><td>sagbend %s</td><td><code>%s</code></td></tr>\n", program_version(),
          program_build_beside("sagbend").text);
  if (r->j->plan->mode == RUN_LOCKSTEP && starts_dp(&r->j->plan->controller))
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
  put_seeded_faults(r);
  put_reproduction(r);
  put_signatures(r);
}
