// Fuzzes the Modbus TCP server: bytes of one connection, through a real socket.

#include "net/buses/buses_internal.h"
#include "net/case/case.h"

#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct config config;
static struct gate gate;
static struct frame frame;
static struct loop_target target;
static struct modbus_server *server;

static void on_event(void *context, const char *name, const char *text) {
  (void)context;
  if (strlen(name) >= GATE_NAME || strlen(text) >= GATE_TEXT)
    abort();
}

static void on_command(void *context, const struct command *command) {
  struct reason why = {""};
  (void)context;
  if (!command_is_valid(&gate.rules, command, &why))
    abort(); // an accepted write is a valid command
}

static void prepare(void) {
  static struct thruster_setpoint none[MAX_THRUSTERS];
  struct reason why;
  if (server)
    return;
  const char *endpoint = "modbus.endpoint=tcp://127.0.0.1:*";
  if (config_load(TEST_SOURCE_DIR "/configs/osv-83m-modbus.yaml", &endpoint, 1, &config, stderr))
    abort();
  plant_command_rules(&config.sim.vessel.plant, config.sim.step_s, &gate.rules);
  gate.on_event = on_event;
  gate.timeout_ms = 1000;
  gate_init(&gate);
  frame.output.step = 7;
  frame.readings.thruster_count = frame.output.thruster_count = config.sim.vessel.plant.thruster_count;
  const struct modbus_session session = {
      &config_run(&config)->modbus, &config.scenario.names, &target, none, &gate, NULL};
  if (modbus_server_open(&session, &server, &why))
    abort();
}

// The bytes arrive in pieces of the length that the first byte gives.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct modbus_inbox inbox = {&frame, {&gate, 7, on_command, NULL}};
  struct modbus_connection *connection;
  uint8_t answers[4096];
  int ends[2];
  prepare();
  connection = &server->connection[0];
  if (size < 1 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
    return 0;
  *connection = (struct modbus_connection){.file = ends[0]};
  server->client[0].connections = 1;
  snprintf(server->client[0].master.name, GATE_NAME, "modbus:fuzz");
  gate.counts.buses.modbus_connections = 1;
  size_t piece = 1 + data[0];
  for (size_t at = 1; at < size && connection->file >= 0; at += piece) {
    size_t length = size - at < piece ? size - at : piece;
    if (send(ends[1], data + at, length, MSG_NOSIGNAL) != (ssize_t)length)
      break;
    modbus_connection_serve(server, connection, &inbox);
    while (recv(ends[1], answers, sizeof answers, 0) > 0)
      ;
  }
  if (connection->file >= 0)
    modbus_connection_close(server, connection);
  close(ends[1]);
  return 0;
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  static const uint8_t pdus[][32] = {
      // length, function and fields
      {5, 1, 0, 0, 0, 5},
      {5, 2, 0, 0, 0, 13},
      {5, 3, 0, 0, 0, 13},
      {5, 4, 0, 0, 0, 38},
      {5, 5, 0, 1, 0xff, 0},
      {5, 6, 0, 0, 0, 7},
      {7, 15, 0, 1, 0, 4, 1, 0x0f},
      {10, 16, 0, 1, 0, 2, 4, 0x42, 0x28, 0, 0},
      {14, 16, 0, 1, 0, 4, 8, 0x42, 0x28, 0, 0, 0x7f, 0xc0, 0, 0},
      {14, 23, 0, 0, 0, 13, 0, 1, 0, 2, 4, 0xc2, 0x28, 0, 0},
      {5, 43, 14, 1, 0, 0},
  };
  enum { COUNT = sizeof pdus / sizeof *pdus };
  size_t used = 0;
  if (index > COUNT || capacity < 600)
    return 0;
  out[used++] = index < COUNT ? 255 : 6;
  for (int i = 0; i < COUNT; i++) {
    if (index < COUNT && i != index)
      continue;
    const uint8_t header[] = {0, (uint8_t)i, 0, 0, 0, (uint8_t)(pdus[i][0] + 1), 1};
    memcpy(out + used, header, sizeof header);
    memcpy(out + used + sizeof header, pdus[i] + 1, pdus[i][0]);
    used += sizeof header + pdus[i][0];
  }
  return used; // the last seed contains all of them
}
