// Field buses of a run: Modbus, and thruster commands by NMEA. They are served with the messages of the
// protocol, in the same thread.
#include "io/bus/modbus_server.h"
#include "io/bus/nmea_inputs.h"
#include "io/wire/server.h"
#include "run/run.h"

static void serve_modbus(void *context, void (*on_command)(void *context, const struct command *command),
                         void *command_context) {
  struct run *run = context;
  modbus_server_serve(run->modbus, &run->last, on_command, command_context);
}

static enum status open_modbus(struct run *run, struct reason *why) {
  const struct config *config = &run->setup.config;
  const struct modbus_session session = {.def = &config->modbus,
                                         .names = &config->scenario.names,
                                         .target = &run->closed_loop.target,
                                         .setpoints = sim_hold_setpoints(run->plant.sim),
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

static void serve_nmea(void *context, void (*on_command)(void *context, const struct command *command),
                       void *command_context) {
  struct run *run = context;
  nmea_inputs_serve(run->nmea_inputs, run->last.output.step, on_command, command_context);
}

static enum status open_nmea(struct run *run, struct reason *why) {
  const struct config *config = &run->setup.config;
  const struct nmea_session session = {.def = &config->nmea,
                                       .setpoints = sim_hold_setpoints(run->plant.sim),
                                       .full_rpm = config->scenario.names.full_rpm,
                                       .gate = server_gate(run->server)};
  enum status status = nmea_inputs_open(&session, &run->nmea_inputs, why);
  if (status != STATUS_OK)
    return status;
  server_attach(run->server, nmea_inputs_file(run->nmea_inputs), serve_nmea, run);
  for (int i = 0; i < nmea_inputs_count(run->nmea_inputs); i++)
    console_line(&run->console, "NMEA commands at %s", nmea_inputs_place(run->nmea_inputs, i).text);
  return STATUS_OK;
}

enum status run_open_field_buses(struct run *run, struct reason *why) {
  const struct config *config = &run->setup.config;
  enum status status = STATUS_OK;
  if (!run->server && (config->modbus.is_on || config->nmea.input_count > 0))
    console_line(&run->console,
                 "notice: mode fast opens no sockets: the sections modbus and nmea.inputs have no effect");
  if (run->server && config->modbus.is_on)
    status = open_modbus(run, why);
  if (run->server && config->nmea.input_count > 0 && status == STATUS_OK)
    status = open_nmea(run, why);
  return status;
}
