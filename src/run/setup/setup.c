// What every run begins with: the loaded case, keys, identity, descriptors, the name of the session.
#include "run/setup/setup.h"

#include "net/zmtp/zmtp.h"
#include "os/process/process.h"
#include "sagbend/events/events.h"

#include <inttypes.h>
#include <stdlib.h>

enum status setup_load(struct setup *setup, const struct case_options *options, FILE *errors) {
  const struct error_sink sink = error_to(errors);
  const struct config_request request = {.path = options->config_path,
                                         .overrides = (const char *const *)options->overrides,
                                         .override_count = options->override_count,
                                         .more = &RUN_SECTIONS};
  return setup_read(setup, &request, &sink);
}

struct start_utc setup_start_utc(const struct setup *setup) {
  const struct config_run *run = setup->config.more ? config_run(&setup->config) : NULL;
  const int is_given = run && run->nmea.start == NMEA_START_GIVEN;
  return (struct start_utc){.is_now = run && run->nmea.start == NMEA_START_NOW,
                            .ns = is_given ? (uint64_t)run->nmea.origin.start_utc_s * 1000000000 : 0};
}

struct checkpoint_identity setup_identity(const struct setup *setup, int dp_is_inside, const char *session) {
  const struct config *c = &setup->config;
  struct checkpoint_identity identity = {.model_hash = c->model_hash,
                                         .dp_hash = dp_is_inside ? setup->dp.hash : 0};
  snprintf(identity.config_name, sizeof identity.config_name, "%s", c->name);
  snprintf(identity.version, sizeof identity.version, "%s", program_version());
  snprintf(identity.build, sizeof identity.build, "%s", program_build().text);
  snprintf(identity.session, sizeof identity.session, "%s", session);
  return identity;
}

enum status session_make_id(char id[17], struct reason *why) {
  uint64_t number;
  enum status status = os_random(&number, sizeof number, why);
  snprintf(id, 17, "%016" PRIx64, status == STATUS_OK ? number : 0);
  return status;
}

enum status setup_claim(const struct setup *setup, const char *config_path, struct file_claims *claims,
                        struct reason *why) {
  const struct config *config = &setup->config;
  static const char what[] = "a file that the configuration names";
  const char *const named[] = {config->dp_file, config->net.server_key_file, config->net.admitted_keys_file};
  enum status status = STATUS_OK;
  for (size_t i = 0; i < sizeof named / sizeof *named && status == STATUS_OK; i++)
    status = file_claims_add(claims, FILE_READ, what, *named[i] ? named[i] : NULL, why);
  for (int i = 0; i < config->files.count && status == STATUS_OK; i++) {
    char *path = config_file_on_disk(config_path, &config->files.file[i]);
    status = file_claims_add(claims, FILE_READ, what, path, why);
    free(path);
  }
  return status;
}

void loaded_free(struct loaded *loaded) {
  plant_free(&loaded->plant);
  setup_free(&loaded->setup);
}

// ------------------------------------------------------------
static const struct {
  const char *word, *text;
} ENDS[] = {
#define X(name, word, text) {word, text},
    RUN_END_TABLE(X)
#undef X
};

const char *run_end_word(enum run_end e) {
  return (unsigned)e < RUN_END_COUNT ? ENDS[e].word : "unknown";
}

const char *run_end_text(enum run_end e) {
  return (unsigned)e < RUN_END_COUNT ? ENDS[e].text : "unknown";
}

// ------------------------------------------------------------
static const uint64_t CHECK_EVERY_NS = 20000000;
enum { CLOSE_BELOW = 16, END_BELOW = 8, OPEN_AT = 32 };

enum status descriptors_require(int needed, struct reason *why) {
  return os_ask_for_descriptors(needed, why) == STATUS_OK ? STATUS_OK : STATUS_BAD_INPUT;
}

int descriptors_check(struct descriptors *d, struct server *server) {
  uint64_t now_ns = os_now_ns();
  if (!server || now_ns - d->checked_ns < CHECK_EVERY_NS)
    return 0;

  d->checked_ns = now_ns;
  d->left = os_free_descriptors(OPEN_AT);
  if (d->closed ? d->left < OPEN_AT : d->left >= CLOSE_BELOW)
    return 0;
  server_admit(server, d->closed);
  if (!d->closed && d->left < END_BELOW) // a flood: log and checkpoints need the rest
    server_end_connections(server);
  d->closed = !d->closed;
  d->closed_count += (uint64_t)d->closed;
  return 1;
}

const char *descriptors_event(const struct descriptors *d) {
  return d->closed ? EVENT_NAME(descriptors_short) : EVENT_NAME(descriptors_again);
}

const char *descriptors_text(const struct descriptors *d) {
  return d->closed ? "fewer than 16 descriptors are left: new connections are refused until others end"
                   : "32 or more descriptors are left: new connections are accepted again";
}

// ------------------------------------------------------------
static enum status check_open(const char *name, const char *key, const char *endpoint, struct reason *why) {
  if (endpoint_is_local(endpoint))
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT,
              "%s: %s: other machines can connect to %s, which needs network.server_key and "
              "network.admitted_keys (make keys by 'sagbend keygen --role server FILE'; docs/security.md)",
              name, key, endpoint);
}

enum status network_keys_read(const char *name, const struct net_def *net, struct server_keys **out,
                              struct reason *why) {
  *out = NULL;
  if (!*net->server_key_file) {
    const struct {
      const char *key, *endpoint;
    } sockets[] = {{"network.command_endpoint", net->command_endpoint},
                   {"network.telemetry_endpoint", net->telemetry_endpoint},
                   {"network.command_endpoint_b", net->command_endpoint_b},
                   {"network.telemetry_endpoint_b", net->telemetry_endpoint_b}};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof sockets / sizeof *sockets && status == STATUS_OK; i++)
      if (*sockets[i].endpoint)
        status = check_open(name, sockets[i].key, sockets[i].endpoint, why);
    return status;
  }

  struct server_keys *keys = calloc(1, sizeof *keys);
  if (!keys)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the keys");
  enum status status = server_keys_read(net->server_key_file, net->admitted_keys_file, keys, why);
  if (status == STATUS_OK)
    *out = keys;
  else
    network_keys_free(keys);
  return status;
}

void network_keys_free(struct server_keys *keys) {
  if (keys)
    peer_secret_forget(&keys->own);
  free(keys);
}
