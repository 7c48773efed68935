// sagbend keygen: makes a pair of keys: one by which a program is known on the network, or one that signs
// logs.
#include "programs/sagbend/sagbend_program.h"
#include "os/cli/option_rows.h"

#include "os/cli/exit_status.h"
#include "sagbend/base/shown_text.h"

#include "os/files/files.h"
#include "log/log/log_key.h"

#include <stdio.h>
#include <string.h>

struct keygen_options {
  const char *path, *log_path, *role, *name; // NULL: not given
};

static const struct option_row OPTIONS[] = {
    {"log", "FILE", "Write a key pair for signing logs: the secret key to FILE, the public key to FILE.pub.",
     TEXT(struct keygen_options, log_path)},
    {"role", "ROLE",
     "Write a key pair for the network: the secret key to FILE, the public part to FILE.pub. ROLE: "
     "controller, operator, observer or server.",
     TEXT(struct keygen_options, role)},
    {"name", "NAME",
     "With --role: name of the key in messages and in the list of admitted keys. Default: the name of FILE "
     "without its extension.",
     TEXT(struct keygen_options, name)},
    HELP_OPTION,
};

const struct cli_command keygen_command = {
    .name = "keygen",
    .arguments = "[FILE]",
    .purpose = "Generate a key pair: with --role one that a program on the network is known by "
               "(docs/security.md), with --log one that signs logs.",
    .example = "sagbend keygen --role controller dp-1.key",
    .statuses =
        "0 both files written; 1 a file could not be written; 2 wrong usage, or a file exists already",
    .options = OPTIONS,
    .size = sizeof(struct keygen_options),
    .words = {WORD(OPTIONAL_FILE, struct keygen_options, path)},
};

static enum status make_log_key(const char *path, struct reason *why) {
  struct log_public_key key;
  char text[LOG_KEY_TEXT];
  enum status status = log_key_make(path, &key, why);
  if (status != STATUS_OK)
    return status;

  log_key_text(&key, text);
  printf("%-14s %s: keep it private; 'sagbend run --log FILE --log-key %s' signs with it\n", "secret key",
         shown(path).text, shown(path).text);
  printf("%-14s %s.pub: give it to everyone who checks logs\n", "public key", shown(path).text);
  printf("%-14s %s\n", "", text);
  return STATUS_OK;
}

// The name of the file without folder and extension.
static void take_file_name(const char *path, char out[PEER_KEY_NAME]) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
  snprintf(out, PEER_KEY_NAME, "%.*s", (int)length, length < PEER_KEY_NAME ? name : "");
}

static enum status make_peer_key(const struct keygen_options *options, struct reason *why) {
  const char *path = options->path;
  char name[PEER_KEY_NAME];
  struct peer_key key;
  int role = peer_role_find(options->role);
  if (role < 0)
    return fail(why, STATUS_BAD_INPUT,
                "--role: controller, operator, observer or server expected, got '%.40s'", options->role);
  take_file_name(path, name);
  const char *given = options->name ? options->name : name;
  if (!peer_key_name_is_valid(given))
    return fail(why, STATUS_BAD_INPUT,
                "--name: 1 to %d letters, digits, '.', '_' or '-' expected, got '%.60s'", PEER_KEY_NAME - 1,
                given);
  enum status status = peer_key_make(path, (enum peer_role)role, given, &key, why);
  if (status != STATUS_OK)
    return status;

  printf("%-14s %s: keep it private\n", "secret key", shown(path).text);
  if (role == ROLE_SERVER)
    printf("%-14s %s.pub: give it to everyone who connects, for --server-key\n", "public key",
           shown(path).text);
  else
    printf("%-14s %s.pub: add its line to the file of network.admitted_keys\n", "public key",
           shown(path).text);
  printf("%-14s %s\n", "", peer_key_text(&key).text);
  return STATUS_OK;
}

static int make_keys(const struct keygen_options *options) {
  struct reason why = {""};
  int for_log = options->log_path != NULL, for_network = options->role && options->path;
  int mixed = for_log && (options->role || options->name || options->path);
  enum status status;
  if (mixed || (!for_log && !for_network))
    status = fail(&why, STATUS_BAD_INPUT,
                  "either --role ROLE FILE or --log FILE expected; see 'sagbend keygen --help'");
  else
    status = for_log ? make_log_key(options->log_path, &why) : make_peer_key(options, &why);
  if (status != STATUS_OK)
    return exit_with_reason("sagbend keygen", status, &why);
  return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
}

int cmd_keygen(int argc, char **argv) {
  struct keygen_options options;
  int exit_status;
  return command_begin(&keygen_command, argc, argv, &options, &exit_status) ? make_keys(&options)
                                                                            : exit_status;
}
