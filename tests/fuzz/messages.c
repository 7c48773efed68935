// Fuzzes the messages at the command socket and those that a controller reads: every message of the protocol,
// with its checks.

#include "net/messages/messages.h"
#include "net/case/case.h"
#include "net/fields/fields.h"

#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static struct config config;
static struct command_def rules;

static void prepare(void) {
  if (config.text)
    return;
  if (config_load(TEST_SOURCE_DIR "/configs/osv-83m-instruments.yaml", NULL, 0, &config, stderr))
    abort();
  plant_command_rules(&config.sim.vessel.plant, config.sim.step_s, &rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct wire_message *m = malloc(sizeof *m);
  struct reason why = {""};
  prepare();
  uint8_t *exact = malloc(size ? size : 1); // exact size, so that the sanitizer detects a read beyond the end
  if (!m || !exact)
    abort();
  memcpy(exact, data, size);
  if (wire_unpack(exact, size, m, &why) == WIRE_OK) {
    if (m->kind == WIRE_COMMAND && command_check(&rules, &m->as.command.command, &why) == STATUS_OK &&
        !command_is_valid(&rules, &m->as.command.command, &why))
      abort(); // an accepted message is a valid command
    if (m->kind == WIRE_ORDER && m->as.order.kind == ORDER_FAULT &&
        order_find_fault(&m->as.order, &config.scenario.names, &why) == STATUS_OK &&
        !fault_is_valid(&config.scenario.names, &m->as.order.fault, &why))
      abort();
    if (m->kind == WIRE_RECEIPT)
      wire_free_receipt(wire_open_receipt(exact, size));
  }
  free(exact);
  free(m);
  return 0;
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  static const struct wire_header h = {.session = "session", .sequence = 7, .step = 12, .time_s = 0.12};
  static const struct wire_hello hello = {"id-1", "controller"};
  struct wire_command c = {
      .controller_id = "id-1",
      .command = {.sequence = 7, .based_on_step = 11, .wrench_b = {1e5, 2e4, 0, 0, 0, 3e5}}};
  struct order order = {.operator_name = "op",
                        .kind = ORDER_FAULT,
                        .duration_s = 5,
                        .name = "x",
                        .request = {.kind = "bias",
                                    .target = "gyro-1",
                                    .parameter_count = 1,
                                    .parameter = {{.name = "bias", .number = 1}}}};
  static struct frame frame;
  prepare();
  switch (index) {
  case 0:
    return wire_pack_hello(&h, &hello, out, capacity);
  case 1:
    return wire_pack_command(&h, &c, out, capacity);
  case 2:
    c.command.thruster_count = 2;
    for (int i = 0; i < 2; i++)
      c.command.thrusters[i] =
          (struct thruster_command){.enable = 1, .revolutions_rpm = 50, .pitch = 0.5, .azimuth_rad = 1};
    for (int i = 0; i < 2; i++)
      memcpy(c.command.thrusters[i].name, rules.thruster[i].name, SIGNAL_NAME);
    return wire_pack_command(&h, &c, out, capacity);
  case 3:
    return wire_pack_order(&h, &order, out, capacity);
  case 4:
    order.kind = ORDER_CLEAR;
    return wire_pack_order(&h, &order, out, capacity);
  case 5:
    order.kind = ORDER_LIST;
    return wire_pack_order(&h, &order, out, capacity);
  case 6:
    frame.output.quaternion_nb[0] = 1;
    frame.command_state = COMMAND_LIVE;
    return wire_pack_sensors(&h, &frame, WIRE_ENVELOPE, out, capacity);
  case 7:
    return wire_pack_event(&h, "event", "text", WIRE_ENVELOPE, out, capacity);
  case 8:
    return wire_pack_end(&h, "why", "2 of 2 verdicts passed", WIRE_ENVELOPE, out, capacity);
  case 9: {
    static struct wire_receipt receipt = {
        .received_sequence = 3,
        .active_count = 1,
        .active = {{.name = "x", .fault = {.kind = "no_output", .target = "gyro-1"}, .pending = 1}},
    };
    static struct wire_status status;
    wire_begin_status(&status);
    wire_status_header(&status, &h);
    status.message.mode = SAGBEND__V1__RUN_MODE__RUN_MODE_REALTIME;
    status.message.name = wire_status_text(&status, "case");
    status.message.pause = &status.pause;
    status.pause.why = wire_status_text(&status, "overrun");
    status.pause.operator_ = wire_status_text(&status, "op");
    status.message.log = &status.log;
    wire_status_peer(&status)->name = wire_status_text(&status, "dp");
    receipt.status = &status;
    return wire_pack_receipt(&h, &receipt, out, capacity);
  }
  case 10: {
    static const struct wire_controller_view view = {
        .based_on_step = 11,
        .active = 1,
        .has_estimate = 1,
        .has_demanded = 1,
        .has_setpoint = 1,
        .instrument_count = 1,
        .thruster_count = 1,
        .instrument = {{.name = "gyro-1", .kind = INSTRUMENT_GYRO, .use = USE_OLD}},
        .thruster = {{.name = "bow", .use = ACTUATOR_OUT, .thrust_n = 1e5}}};
    return wire_pack_controller_view(&h, &view, WIRE_ENVELOPE, out, capacity);
  }
  default:
    if (index - 11 >= ORDER_STATUS - ORDER_STOP)
      return 0;
    order.kind = (enum order_kind)(ORDER_PAUSE + index - 11);
    order.rate = 2;
    order.setpoint = (struct order_setpoint){{1, 0, 1}, {100, 0, 1}, 0};
    return wire_pack_order(&h, &order, out, capacity);
  }
}
