// Field buses of a run: Modbus. They are served with the messages of the protocol, in the same thread.
#include "io/modbus/modbus_server.h"
#include "io/wire/server.h"
#include "run/run.h"

static void serve_modbus(void *context, void (*on_command)(void *context, const struct command *command),
                         void *command_context) {
  struct run *run = context;
  modbus_server_serve(run->modbus, &run->last, on_command, command_context);
}

static enum status open_modbus(struct run *run, struct reason *why) {
  const struct config *config = &run->session.config;
  const struct modbus_session session = {.def = &config->modbus,
                                         .names = &config->scenario.names,
                                         .target = &run->closed_loop.target,
                                         .setpoints = sim_hold_setpoints(run->session.sim),
                                         .gate = server_gate(run->server)};
  enum status status = modbus_server_open(&session, &run->modbus, why);
  if (status != STATUS_OK)
    return status;
  server_attach(run->server, modbus_server_file(run->modbus), serve_modbus, run);
  console_line(&run->console, "Modbus TCP at %s, unit %d", modbus_server_endpoint(run->modbus),
               config->modbus.unit_id);
  if (*config->modbus.clients)
    console_line(&run->console, "notice: other machines can command by Modbus (modbus.clients); there is no "
                                "authentication");
  return STATUS_OK;
}

enum status run_open_field_buses(struct run *run, struct reason *why) {
  const struct config *config = &run->session.config;
  if (!config->modbus.is_on)
    return STATUS_OK;
  if (run->server)
    return open_modbus(run, why);
  console_line(&run->console, "notice: mode fast opens no sockets: the section modbus has no effect");
  return STATUS_OK;
}
