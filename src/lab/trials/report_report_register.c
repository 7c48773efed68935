// The register of findings.
#include "lab/judge/tally.h"
#include "lab/trials/trials_internal.h"

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
