// sagbend log recover: from a damaged log, or one whose writer was killed, a sound file with every intact
// message, in the same order and under the same header, so that its chain is valid where nothing is missing.
// Metadata marks it as recovered.
#include "log/log/log.h"
#include "log/mcap/mcap.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "programs/sagbend/sagbend_program_internal.h"
#include "sagbend/base/base.h"

#include <inttypes.h>
#include <stdio.h>

enum { CHUNK_BYTES = 1 << 20 };

struct recovery {
  struct mcap_writer *out;
  const struct mcap_channel
      *channels[MCAP_MAX_CHANNELS]; // of the file read; their place + 1 is the id in the new file
  int channel_count;
  uint64_t last_ns, kept;
  int has_session, has_end;
  enum status metadata; // whether it could be copied
  struct reason why;
};

// The channel in the new file; 0: no memory.
static uint16_t channel_of(struct recovery *r, const struct mcap_channel *channel) {
  for (int i = 0; i < r->channel_count; i++)
    if (r->channels[i] == channel)
      return (uint16_t)(i + 1);
  if (r->channel_count == MCAP_MAX_CHANNELS)
    return 0;
  const struct mcap_schema *s = channel->schema;
  uint16_t schema = s ? mcap_writer_schema(r->out, s->name, s->data, s->size) : 0;
  uint16_t id = s && !schema ? 0 : mcap_writer_channel(r->out, schema, channel->topic);
  if (id)
    r->channels[r->channel_count++] = channel;
  return id;
}

static enum status keep(struct recovery *r, const struct mcap_message *m, struct reason *why) {
  uint16_t channel = channel_of(r, m->channel);
  enum log_topic t = log_topic_of(m->channel);
  if (!channel)
    return fail(why, STATUS_NO_MEMORY, "too many topics, or no memory for them");
  enum status status = mcap_writer_add(r->out, channel, m->sequence, m->log_time_ns, m->data, m->size);
  if (status != STATUS_OK)
    return fail(why, status, "no memory for a message of %zu bytes", m->size);
  r->kept++;
  r->last_ns = m->log_time_ns > r->last_ns ? m->log_time_ns : r->last_ns;
  r->has_end |= t == LOG_END;
  r->has_session |= t == LOG_SESSION;
  int ends_chunk = t == LOG_CHAIN || t == LOG_SESSION || mcap_writer_pending_bytes(r->out) >= CHUNK_BYTES;
  return ends_chunk ? mcap_writer_flush(r->out, 0, why) : STATUS_OK;
}

static void copy_metadata(void *context, uint8_t kind, const uint8_t *content, size_t size) {
  struct recovery *r = context;
  struct bytes copy = {0};
  if (kind != MCAP_METADATA || r->metadata != STATUS_OK)
    return;
  bytes_put(&copy, content, size);
  r->metadata = mcap_writer_flush(r->out, 0, &r->why);
  if (r->metadata == STATUS_OK)
    r->metadata = mcap_writer_put_metadata(r->out, &copy, &r->why);
  bytes_free(&copy);
}

// The text of the header of the file read, which the chain covers.
static void library_of(const struct mcap_reader *in, char *out, size_t size) {
  size_t bytes, profile, length;
  const uint8_t *header = mcap_reader_header(in, &bytes);
  snprintf(out, size, "sagbend %s, recovered", program_version());
  if (!header || bytes < 8 || (profile = mcap_get32(header)) > bytes - 8)
    return;
  length = mcap_get32(header + 4 + profile);
  if (length < size && length <= bytes - 8 - profile)
    snprintf(out, size, "%.*s", (int)length, (const char *)header + 8 + profile);
}

static enum status mark(struct recovery *r, const struct mcap_reader *in, struct reason *why) {
  const struct mcap_progress *p = mcap_reader_progress(in);
  char lost[32], damaged[32];
  snprintf(lost, sizeof lost, "%" PRIu64, p->lost_bytes);
  snprintf(damaged, sizeof damaged, "%" PRIu64, p->damaged_chunks);
  const struct mcap_text_pair pairs[] = {
      {"by", program_version()}, {"lost_bytes", lost}, {"damaged_chunks", damaged}};
  enum status status = mcap_writer_flush(r->out, 0, why);
  return status == STATUS_OK ? mcap_writer_metadata(r->out, RECOVERED_METADATA, pairs,
                                                    (int)(sizeof pairs / sizeof *pairs), why)
                             : status;
}

static void report_recovery(const struct recovery *r, const struct mcap_reader *in, const char *out_path,
                            const struct mcap_written *written) {
  const struct mcap_progress *p = mcap_reader_progress(in);
  printf("%s: %" PRIu64 " messages in %" PRIu64 " chunks, to t = %g s\n", shown(out_path).text,
         written->messages, written->chunks, 1e-9 * (double)r->last_ns);
  if (p->complete && !p->damaged_chunks)
    puts("nothing was lost: the file was in order");
  else
    printf("lost: %" PRIu64 " of %" PRIu64 " bytes, %" PRIu64 " damaged chunks%s\n", p->lost_bytes,
           mcap_reader_file_size(in), p->damaged_chunks,
           r->has_end ? "" : ", and what had not been written (at most a second)");
  if (!r->has_session)
    puts("the session's record is among what was lost: this log cannot be replayed");
}

// Copies messages until the end or an error of the copy.
static enum status copy_recovered(struct recovery *r, struct mcap_reader *in, struct reason *why) {
  struct mcap_message message;
  enum status status = STATUS_OK;
  int more = 0;
  while (status == STATUS_OK && (more = mcap_reader_next(in, &message, why)) > 0)
    status = keep(r, &message, why);
  if (status == STATUS_OK && more < 0)
    return STATUS_IO;
  if (status == STATUS_OK && r->metadata != STATUS_OK)
    return fail(why, r->metadata, "%s", r->why.text);
  return status == STATUS_OK ? mark(r, in, why) : status;
}

static enum status recover(struct recovery *r, struct mcap_reader *in, const char *out_path,
                           struct mcap_written *written, struct reason *why) {
  char library[256];
  library_of(in, library, sizeof library);
  mcap_reader_on_record(in, copy_metadata, r);
  enum status status = mcap_writer_open(out_path, library, &r->out, why);
  if (status == STATUS_OK)
    status = copy_recovered(r, in, why);
  if (!r->out)
    return status;
  enum status closed = mcap_writer_close(r->out, written, status == STATUS_OK ? why : NULL);
  return status == STATUS_OK ? closed : status;
}

enum status log_recover(const char *path, const char *out_path, struct reason *why) {
  struct recovery r = {0};
  struct mcap_written written = {0};
  struct mcap_reader *in;
  enum status status = log_open(path, MCAP_SALVAGE, &in, why);
  if (status != STATUS_OK)
    return status;

  status = recover(&r, in, out_path, &written, why);
  if (status == STATUS_OK && !written.messages)
    status = fail(why, STATUS_IO, "%.200s: nothing in it could be recovered", path);
  if (status == STATUS_OK)
    report_recovery(&r, in, out_path, &written);
  mcap_reader_close(in);
  return status == STATUS_OK ? STATUS_OK : STATUS_IO;
}
