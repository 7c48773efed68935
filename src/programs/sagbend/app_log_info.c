// sagbend log info and topics: what a log contains. The whole file is read, so everything printed has been
// checked.
#include "programs/sagbend/log_tools.h"

#include "sagbend/base/shown_text.h"

#include "log/log/log_check.h"

#include "sagbend/v1/log.pb-c.h"

#include <inttypes.h>
#include <string.h>

struct survey {
  Sagbend__V1__SessionRecord *session; // NULL: none met
  Sagbend__V1__LogEnd *end;
  struct topic_survey {
    char name[64];
    uint64_t count, first_ns, last_ns;
  } topics[LOG_TOPIC_COUNT + 16]; // others than ours may be there
  int topic_count;
  uint64_t messages, first_ns, last_ns, last_command_number;
  int gap_in_commands;
  struct log_check_report chain;
};

static void count_topic(struct survey *s, const struct mcap_message *m) {
  const int room = sizeof s->topics / sizeof *s->topics;
  int i = 0;
  while (i < s->topic_count && strcmp(s->topics[i].name, m->channel->topic))
    i++;
  if (i == room)
    return;
  struct topic_survey *t = &s->topics[i];
  if (i == s->topic_count) {
    s->topic_count++;
    *t = (struct topic_survey){.first_ns = m->log_time_ns};
    snprintf(t->name, sizeof t->name, "%s", m->channel->topic);
  }
  t->count++;
  t->last_ns = m->log_time_ns;
}

static void keep_if_needed(struct survey *s, const struct mcap_message *m) {
  enum log_topic t = log_topic_of(m->channel);
  if (t != LOG_SESSION && t != LOG_END && t != LOG_COMMAND)
    return;
  ProtobufCMessage *content = log_unpack(m, NULL);
  if (content && t == LOG_SESSION && !s->session) {
    s->session = (Sagbend__V1__SessionRecord *)content;
    return;
  }
  if (content && t == LOG_END && !s->end) {
    s->end = (Sagbend__V1__LogEnd *)content;
    return;
  }
  if (content && t == LOG_COMMAND) {
    const Sagbend__V1__CommandUsed *c = (const Sagbend__V1__CommandUsed *)content;
    if (!s->last_command_number && s->session && s->session->part)
      s->last_command_number = s->session->part->commands_before;
    s->gap_in_commands |= c->number && c->number != s->last_command_number + 1;
    s->last_command_number = c->number ? c->number : s->last_command_number;
  }
  log_free(content);
}

// Reads the whole log. STATUS_IO: it is damaged or was not closed; s contains what could be read.
static enum status survey(struct mcap_reader *reader, struct survey *s, struct reason *why) {
  struct mcap_message m;
  int more;
  memset(s, 0, sizeof *s);
  struct log_check *check = log_check_open(reader);
  if (!check)
    return fail(why, STATUS_NO_MEMORY, "out of memory for its chain");

  while ((more = mcap_reader_next(reader, &m, why)) > 0) {
    log_check_message(check, &m);
    s->first_ns = !s->messages || m.log_time_ns < s->first_ns ? m.log_time_ns : s->first_ns;
    s->last_ns = m.log_time_ns > s->last_ns ? m.log_time_ns : s->last_ns;
    s->messages++;
    count_topic(s, &m);
    keep_if_needed(s, &m);
  }
  s->chain = *log_check_finish(check, more == 0);
  log_check_free(check);
  return more == 0 ? STATUS_OK : STATUS_IO;
}

static void release(struct survey *s) {
  log_free((ProtobufCMessage *)s->session);
  log_free((ProtobufCMessage *)s->end);
}

static void print_session(const Sagbend__V1__SessionRecord *s) {
  const ProtobufCEnumValue *mode =
      protobuf_c_enum_descriptor_get_value(&sagbend__v1__run_mode__descriptor, (int)s->mode);
  printf("%-14s %s, started %s\n", "session", shown(s->session).text, shown(s->started_at).text);
  printf("%-14s %s (%s), hash %016" PRIx64 "\n", "configuration", shown(s->name).text,
         shown(s->config_path).text, s->config_hash);
  for (size_t i = 0; i < s->n_overrides; i++)
    printf("%-14s %s\n", i ? "" : "overrides", shown(s->overrides[i]).text);
  printf("%-14s sagbend %s, build %s\n", "program", shown(s->version).text, shown(s->build).text);
  printf("%-14s %s, step %g s, %u nodes\n", "mode", mode ? mode->name : "unknown", s->step_s, s->node_count);
  if (s->part)
    printf("%-14s %u%s%s\n", "part", s->part->number,
           s->part->number > 1 ? ", the part before it is " : ", the first", shown(s->part->before).text);
  if (s->first_step)
    printf("%-14s from step %" PRIu64 "\n", s->part && s->part->number > 1 ? "begins" : "resumed",
           s->first_step);
  if (s->origin)
    printf("%-14s %s of session %s at step %" PRIu64 "%s%s\n", "origin", shown(s->origin->how).text,
           shown(s->origin->session).text, s->origin->step, *s->origin->name ? ", " : "",
           shown(s->origin->name).text);
}

static void print_end(const struct survey *s) {
  const Sagbend__V1__LogEnd *end = s->end;
  if (!end) {
    printf("%-14s unknown: the log has no end\n", "ended");
    return;
  }
  printf("%-14s %s, at step %" PRIu64 ", state hash %016" PRIx64 "\n", "ended", shown(end->why).text,
         end->step, end->state_hash);
  if (*end->continued_in)
    printf("%-14s %s\n", "next part", shown(end->continued_in).text);
  if (*end->next_session)
    printf("%-14s %s\n", "next session", shown(end->next_session).text);
  for (size_t i = 0; i < end->n_dropped; i++)
    printf("%-14s %s %" PRIu64 " messages\n", i ? "" : "left out", shown(end->dropped[i]->topic).text,
           end->dropped[i]->messages);
  if (!end->n_dropped)
    printf("%-14s nothing\n", "left out");
  static const char *const results[] = {"not stated", "passed", "failed", "not judged"};
  for (size_t i = 0; i < end->n_verdict; i++)
    printf("%-14s %s %s\n", i ? "" : "verdicts", shown(end->verdict[i]->name).text,
           results[end->verdict[i]->result < 4u ? end->verdict[i]->result : 0]);
}

static void print_replay(const struct survey *s) {
  printf("%-14s ", "replay");
  if (s->chain.derived)
    puts("not of a derived copy");
  else if (!s->session)
    puts("impossible: the session's record is missing");
  else if (s->end && s->end->commands_missing)
    printf("to step %" PRIu64 " only: commands after it are missing\n", s->end->replayable_to_step);
  else if (s->gap_in_commands)
    puts("not of the whole: commands are missing");
  else
    puts("possible");
}

static void print_topics(const struct survey *s) {
  printf("%-14s %10s %10s\n", "topic", "messages", "1/s");
  for (int i = 0; i < s->topic_count; i++) {
    const struct topic_survey *t = &s->topics[i];
    double span_s = 1e-9 * (double)(t->last_ns - t->first_ns);
    printf("%-14s %10" PRIu64, shown(t->name).text, t->count);
    if (t->count > 1 && span_s > 0)
      printf(" %10.4g\n", (double)(t->count - 1) / span_s);
    else
      printf(" %10s\n", "-");
  }
}

static void print_file(const char *path, const struct mcap_reader *r) {
  const struct mcap_summary *summary = mcap_reader_summary(r, NULL);
  const struct mcap_progress *progress = mcap_reader_progress(r);
  printf("%-14s %s, %" PRIu64 " bytes\n", "file", shown(path).text, mcap_reader_file_size(r));
  printf("%-14s %" PRIu64 " good", "chunks", progress->chunks);
  if (summary && summary->stored_bytes)
    printf(", %" PRIu64 " bytes for %" PRIu64, summary->stored_bytes, summary->plain_bytes);
  printf("\n%-14s %s\n", "closed",
         progress->complete ? "in order, every checksum is right" : "no, or damaged");
}

static void print_chain(const struct survey *s) {
  const struct log_check_report *c = &s->chain;
  char key[LOG_KEY_TEXT];
  log_key_text(&c->public_key, key);
  if (c->recovered)
    printf("%-14s from another file: not complete\n", "recovered");
  if (c->derived)
    printf("%-14s a copy with other messages ('sagbend log scene'), not a log: it proves nothing\n",
           "derived");
  if (c->state == LOG_CHAIN_NONE)
    printf("%-14s none: nothing shows that the log is as it was written\n", "chain");
  else if (c->state == LOG_CHAIN_BROKEN)
    printf("%-14s broken: %s\n", "chain", c->broken.text);
  else if (c->state == LOG_CHAIN_GAPS)
    printf("%-14s holds but for %" PRIu64 " records that are missing\n", "chain", c->missing);
  else
    printf("%-14s holds over %" PRIu64 " records%s\n", "chain", c->records,
           s->end ? "" : ", as far as the log goes");
  if (c->state != LOG_CHAIN_NONE)
    printf("%-14s %s\n", "signed by",
           c->is_signed ? key : "nobody: whoever can write the file could have made this chain");
}

// Judges chain and signature. key: NULL: any or none.
static enum status judge_chain(const struct survey *s, const struct log_public_key *key, struct reason *why) {
  if (key && s->chain.derived)
    return fail(why, STATUS_IO,
                "it is a derived copy ('sagbend log scene'), not a log; check the log itself by its key");
  if (s->chain.state == LOG_CHAIN_BROKEN)
    return fail(why, STATUS_IO, "the chain is broken: %s", s->chain.broken.text);
  return key && !log_check_is_by(&s->chain, key, why) ? STATUS_IO : STATUS_OK;
}

enum status log_info(const char *path, const char *key_path, struct reason *why) {
  struct log_public_key key;
  struct survey s;
  struct mcap_reader *reader;
  struct reason cause = {""};
  if (key_path && log_key_read_public(key_path, &key, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "--key: %s", cause.text);
  enum status status = log_open(path, MCAP_STRICT, &reader, why);
  if (status != STATUS_OK)
    return status;

  status = survey(reader, &s, why);
  print_file(path, reader);
  if (s.session)
    print_session(s.session);
  if (s.messages)
    printf("%-14s %g s to %g s\n", "simulated", 1e-9 * (double)s.first_ns, 1e-9 * (double)s.last_ns);
  print_end(&s);
  print_replay(&s);
  print_chain(&s);
  print_topics(&s);
  if (status == STATUS_OK)
    status = judge_chain(&s, key_path ? &key : NULL, why);
  release(&s);
  mcap_reader_close(reader);
  return status;
}

enum status log_topics(const char *path, struct reason *why) {
  struct mcap_reader *reader;
  struct survey s;
  enum status status = log_open(path, MCAP_STRICT, &reader, why);
  if (status != STATUS_OK)
    return status;
  status = survey(reader, &s, why);
  print_topics(&s);
  release(&s);
  mcap_reader_close(reader);
  return status;
}
