// Answers: what a request reads, and what becomes of a write.
#include "net/buses/buses_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static int is_in_command(const struct modbus_server *server, const struct bus_master *master) {
  int place = bus_master_place(master, server->gate);
  return place >= 0 && place == server->gate->in_command;
}

// While no steps are made, feedback is of no use: flags and integers are 0, a float is NaN.
static double value_of(const struct modbus_register *reg, const struct modbus_view *view) {
  const struct signal_info info = modbus_signal_info(reg->place.signal);
  if (view->frame->timing.hold == HELD_NOT || info.scope != SCOPE_THRUSTER || info.is_written)
    return modbus_signal_value(reg->place, view);
  return reg->def.type == MODBUS_FLOAT32 ? (double)NAN : 0;
}

static void put_value(const struct modbus_request *request, int address, uint16_t word, uint16_t *values) {
  int index = address - request->read_address;
  if (index >= 0 && index < request->read_count)
    values[index] = word;
}

static uint16_t modbus_request_word(const struct modbus_request *request, int index);

// What the request reads. A value that the range cuts is read in part. Function 23 reads what it has just
// written as it was written.
static void read_values(const struct modbus_server *server, const struct bus_master *master,
                        const struct modbus_request *request, const struct frame *frame, uint16_t *values) {
  const struct modbus_view view = {frame,        server->target,  &server->image,
                                   server->gate, &master->alarms, is_in_command(server, master),
                                   server->beat};
  for (int at = request->read_address; at < request->read_address + request->read_count;) {
    const struct modbus_register *reg = modbus_map_at(&server->map, request->read_table, at);
    uint16_t words[2];
    modbus_encode(&reg->def, value_of(reg, &view), words);
    for (int i = 0; i < reg->width; i++)
      put_value(request, reg->def.address + i, words[i], values);
    at = reg->def.address + reg->width;
  }
  for (int i = 0; i < request->write_count; i++)
    put_value(request, request->write_address + i, modbus_request_word(request, i), values);
}

// What a write changes.
struct write {
  struct bus_image image;
  uint32_t thrusters;            // one bit each, and BUS_TENSIONER if it gives a mode
  int sets_tensioner;            // 1: the write changes a set-point of the tensioner
  uint32_t alarms, alarms_named; // kinds that the master reports, and that this write names, one bit each
  double beat;
  int is_based; // 1: the command gives the step that it answers
  double based_on_step;
};

static void set_thruster(struct thruster_setpoint *setpoint, int signal, double value) {
  switch (signal) {
  case SIGNAL_ENABLE:
    setpoint->enable = value > 0;
    return;
  case SIGNAL_SET_REVOLUTIONS:
    setpoint->revolutions_rpm = value;
    return;
  case SIGNAL_SET_PITCH:
    setpoint->pitch = value;
    return;
  default:
    setpoint->azimuth_rad = value * (TRIG_PI / 180);
  }
}

// The index of a place is a thruster's or, of an alarm, its kind's: only a thruster's selects a set-point.
static void set_value(struct write *write, struct signal_place place, double value) {
  switch (place.signal) {
  case SIGNAL_STANDBY:
    write->image.standby = value > 0;
    return;
  case SIGNAL_BEAT:
    write->beat = value;
    return;
  case SIGNAL_ALARM_SET:
    write->alarms_named |= UINT32_C(1) << place.index;
    write->alarms |= (uint32_t)(value > 0) << place.index;
    return;
  case SIGNAL_BASED_ON:
    write->is_based = 1;
    write->based_on_step = value;
    return;
  case SIGNAL_TENSIONER_SET_MODE:
    write->image.tensioner.mode = (enum tensioner_mode)value;
    write->thrusters |= BUS_TENSIONER;
    return;
  case SIGNAL_TENSIONER_SET_TENSION:
    write->image.tensioner.tension_n = value;
    write->sets_tensioner = 1;
    return;
  case SIGNAL_TENSIONER_SET_SPEED:
    write->image.tensioner.speed_mps = value;
    write->sets_tensioner = 1;
    return;
  default:
    set_thruster(&write->image.setpoint[place.index], place.signal, value);
    write->thrusters |= 1u << place.index;
  }
}

// Bits have no source and no text: the source is the controller.
static void report_alarms(struct dp_alarm_list *list, const struct write *write) {
  const struct dp_alarm_list before = *list;
  list->count = 0;
  for (int i = 0; i < before.count; i++)
    if (!(write->alarms_named >> before.alarm[i].kind & 1))
      list->alarm[list->count++] = before.alarm[i];
  for (int kind = 0; kind < ALARM_KIND_COUNT; kind++)
    if (write->alarms >> kind & 1)
      dp_alarm_raise(list, "controller", (enum dp_alarm_kind)kind, SEVERITY_WARNING, "reported by Modbus", "",
                     "");
}

static int is_mode(double value) {
  return value >= 0 && value < TENSIONER_MODE_COUNT && value == floor(value);
}

// Reads the values of a write. The request must contain each of them whole, so that none is ever torn.
static enum modbus_exception take_values(const struct modbus_server *server,
                                         const struct modbus_request *request, struct write *write,
                                         enum refusal *refusal, struct reason *why) {
  int begin = request->write_address, end = begin + request->write_count;
  for (int at = begin; at < end;) {
    const struct modbus_register *reg = modbus_map_at(&server->map, request->write_table, at);
    if (!reg || !modbus_signal_info(reg->place.signal).is_written || reg->def.address != at ||
        at + reg->width > end) {
      fail(why, STATUS_BAD_INPUT, "%s %d: whole values that a master writes expected",
           modbus_table_name(request->write_table), at);
      return EXCEPTION_ADDRESS;
    }
    uint16_t words[2] = {modbus_request_word(request, at - begin),
                         reg->width == 2 ? modbus_request_word(request, at - begin + 1) : 0};
    double value = modbus_decode(&reg->def, words);
    int is_flag = reg->def.type == MODBUS_BOOL;
    if (!isfinite(value) || (is_flag && value > 1)) {
      *refusal = is_flag ? REFUSED_RANGE : REFUSED_NOT_FINITE;
      fail(why, STATUS_BAD_INPUT, "%s (%s %d): %s expected", reg->def.signal,
           modbus_table_name(request->write_table), at, is_flag ? "0 or 1" : "a finite number");
      return EXCEPTION_VALUE;
    }
    if (reg->place.signal == SIGNAL_TENSIONER_SET_MODE && !is_mode(value)) {
      *refusal = REFUSED_RANGE;
      fail(why, STATUS_BAD_INPUT, "%s (%s %d): 0, 1 or 2 expected", reg->def.signal,
           modbus_table_name(request->write_table), at);
      return EXCEPTION_VALUE;
    }
    set_value(write, reg->place, value);
    at += reg->width;
  }
  return EXCEPTION_NONE;
}

static enum modbus_exception exception_of(enum refusal refusal, const struct write *write) {
  switch (refusal) {
  case REFUSAL_COUNT:
    return EXCEPTION_NONE;
  case REFUSED_NOT_CONTROLLER:
  case REFUSED_SESSION:
    return EXCEPTION_BUSY;
  case REFUSED_STALE:
    return write->is_based ? EXCEPTION_VALUE : EXCEPTION_BUSY;
  default:
    return EXCEPTION_VALUE;
  }
}

static enum modbus_exception write_values(struct modbus_server *server, struct bus_master *master,
                                          const struct modbus_request *request, int is_of_before,
                                          const struct modbus_inbox *inbox, struct reason *why) {
  struct write write = {.image = server->image, .beat = server->beat};
  enum refusal refusal = REFUSAL_COUNT;
  enum modbus_exception exception = take_values(server, request, &write, &refusal, why);
  if (refusal != REFUSAL_COUNT)
    bus_master_refuse(master, refusal, &inbox->bus, why);
  if (exception != EXCEPTION_NONE)
    return exception;
  if (is_of_before && (write.thrusters || write.sets_tensioner)) {
    fail(why, STATUS_BAD_INPUT, BUS_OF_BEFORE);
    return exception_of(bus_master_refuse(master, REFUSED_SESSION, &inbox->bus, why), &write);
  }
  if (inbox->frame->timing.hold != HELD_NOT && (write.thrusters || write.sets_tensioner)) {
    fail(why, STATUS_BAD_INPUT, "no steps are made, the session is %s: no set-points are accepted",
         inbox->frame->timing.hold == HELD_BY_HALT ? "halted" : "paused");
    return EXCEPTION_BUSY;
  }

  uint64_t based_on = inbox->bus.current_step;
  if (write.is_based) // a step that is not one is one of the future
    based_on =
        write.based_on_step >= 0 && write.based_on_step < 9e15 ? (uint64_t)write.based_on_step : UINT64_MAX;
  const struct dp_alarm_list before = master->alarms;
  report_alarms(&master->alarms, &write);
  refusal =
      bus_master_write(master, &server->image, &write.image, write.thrusters, based_on, &inbox->bus, why);
  if (refusal == REFUSAL_COUNT)
    server->beat = write.beat;
  else
    master->alarms = before;
  return exception_of(refusal, &write);
}

// A frame as it has come. is_copy: set for a write that the other network has brought; it has no effect, and
// the same answer.
struct arrival {
  struct modbus_connection *connection;
  const uint8_t *frame;
  int size, is_copy;
};

static enum modbus_exception write_once(struct modbus_server *server, struct arrival *at,
                                        const struct modbus_request *request,
                                        const struct modbus_inbox *inbox, struct reason *why) {
  const struct modbus_seen *copy = modbus_find_copy(server, at->connection, at->frame, at->size);
  at->is_copy = copy != NULL;
  if (copy)
    return copy->exception;
  const enum modbus_exception exception = write_values(server, &server->client[at->connection->client].master,
                                                       request, at->connection->of_before > 0, inbox, why);
  modbus_note_write(server, at->connection, at->frame, at->size, exception);
  return exception;
}

static enum modbus_exception handle(struct modbus_server *server, struct arrival *at,
                                    const struct modbus_request *request, const struct modbus_inbox *inbox,
                                    uint16_t *values, struct reason *why) {
  const struct bus_master *master = &server->client[at->connection->client].master;
  // Of a device that is reached by its own TCP address (MODBUS Messaging on TCP/IP 1.0b, 4.4.2.4): 255, and
  // 0, which many masters send.
  enum { ITSELF = 0, ANY_UNIT = 255 };
  if (request->unit != server->def.unit_id && request->unit != ITSELF && request->unit != ANY_UNIT) {
    fail(why, STATUS_BAD_INPUT, "unit %d, 0 or 255 expected, got %d", server->def.unit_id, request->unit);
    return EXCEPTION_TARGET;
  }
  if (request->read_count > 0 &&
      !modbus_map_has(&server->map, request->read_table, request->read_address, request->read_count)) {
    fail(why, STATUS_BAD_INPUT, "%s %d to %d: addresses of the map expected",
         modbus_table_name(request->read_table), request->read_address,
         request->read_address + request->read_count - 1);
    return EXCEPTION_ADDRESS;
  }
  if (request->write_count > 0) {
    enum modbus_exception exception = write_once(server, at, request, inbox, why);
    if (exception != EXCEPTION_NONE)
      return exception;
  }
  if (request->read_count > 0)
    read_values(server, master, request, inbox->frame, values);
  return EXCEPTION_NONE;
}

static enum refusal refusal_of(enum modbus_exception exception) {
  switch (exception) {
  case EXCEPTION_FUNCTION:
    return REFUSED_MODBUS_FUNCTION;
  case EXCEPTION_ADDRESS:
    return REFUSED_MODBUS_ADDRESS;
  case EXCEPTION_BUSY:
    return REFUSED_MODBUS_BUSY;
  case EXCEPTION_TARGET:
    return REFUSED_MODBUS_TARGET;
  default:
    return REFUSED_MODBUS_VALUE;
  }
}

static void refuse(struct modbus_server *server, const struct bus_master *master, int function,
                   enum modbus_exception exception, const struct reason *why) {
  char text[GATE_TEXT];
  const enum refusal refusal = refusal_of(exception);
  snprintf(text, sizeof text, "function %d, exception %d, %s%s%.300s", function, (int)exception,
           refusal_help(refusal), *why->text ? ": " : "", why->text);
  gate_refuse(server->gate, master->name, refusal, text);
}

int modbus_response(struct modbus_server *server, struct modbus_connection *connection, const uint8_t *frame,
                    int size, const struct modbus_inbox *inbox) {
  struct arrival arrival = {connection, frame, size, 0};
  struct bus_master *master = &server->client[connection->client].master;
  struct modbus_request request;
  struct reason why = {""};
  uint16_t values[MODBUS_READS];
  uint8_t answer[MODBUS_FRAME];
  uint64_t refused = refused_in_all(&server->gate->counts);
  bus_master_heard(master, server->gate);
  modbus_note_request(server, connection);
  enum modbus_exception exception = modbus_request_read(frame, size, &request);
  if (exception == EXCEPTION_NONE)
    exception = handle(server, &arrival, &request, inbox, values, &why);
  server->gate->counts.buses.modbus_requests++;

  if (exception == EXCEPTION_NONE)
    connection->requests++;
  else
    server->gate->counts.buses.modbus_exceptions++;
  if (exception != EXCEPTION_NONE && !arrival.is_copy &&
      refused_in_all(&server->gate->counts) == refused) // otherwise the gate has
    refuse(server, master, request.function, exception, &why);
  int length = exception == EXCEPTION_NONE ? modbus_response_write(frame, &request, values, answer)
                                           : modbus_exception_write(frame, exception, answer);
  return !modbus_passes(server, connection, 1, answer, (size_t)length) ||
         send(connection->file, answer, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL) == length;
}

// ------------------------------------------------------------
enum { // of one request, by the standard
  MOST_READ_BITS = MODBUS_READS,
  MOST_READ_REGISTERS = 125,
  MOST_WRITE_BITS = 1968,
  MOST_WRITE_REGISTERS = 123,
  MOST_READ_WRITE_REGISTERS = 121,
};

enum { // functions
  READ_COILS = 1,
  READ_DISCRETE = 2,
  READ_HOLDING = 3,
  READ_INPUT = 4,
  WRITE_COIL = 5,
  WRITE_REGISTER = 6,
  WRITE_COILS = 15,
  WRITE_REGISTERS = 16,
  WRITE_AND_READ = 23,
};

static int word_at(const uint8_t *bytes) {
  return bytes[0] << 8 | bytes[1];
}

int modbus_frame_size(const uint8_t *data, size_t size) {
  const uint8_t protocol[2] = {0, 0};
  if (size >= 3 && memcmp(data + 2, protocol, size >= 4 ? 2 : 1) != 0)
    return -1;
  if (size < 6)
    return 0;
  int length = word_at(data + 4); // of unit and what follows
  if (length < 2 || length > MODBUS_FRAME - 6)
    return -1;
  return size >= (size_t)length + 6 ? length + 6 : 0;
}

static enum modbus_exception check_range(int address, int count, int most) {
  if (count < 1 || count > most)
    return EXCEPTION_VALUE;
  return address + count > 65536 ? EXCEPTION_ADDRESS : EXCEPTION_NONE;
}

static enum modbus_exception read_read(const uint8_t *fields, int size, int table, int most,
                                       struct modbus_request *out) {
  if (size != 4)
    return EXCEPTION_VALUE;
  out->read_table = table;
  out->read_address = word_at(fields);
  out->read_count = word_at(fields + 2);
  return check_range(out->read_address, out->read_count, most);
}

static enum modbus_exception read_write_one(const uint8_t *fields, int size, int table,
                                            struct modbus_request *out) {
  if (size != 4)
    return EXCEPTION_VALUE;
  out->write_table = table;
  out->write_address = word_at(fields);
  out->write_count = 1;
  out->data = fields + 2;
  int is_switch = word_at(fields + 2) == 0xff00 || word_at(fields + 2) == 0;
  return table == MODBUS_COIL && !is_switch ? EXCEPTION_VALUE : EXCEPTION_NONE;
}

static enum modbus_exception read_write(const uint8_t *fields, int size, int table, int most,
                                        struct modbus_request *out) {
  if (size < 5)
    return EXCEPTION_VALUE;
  out->write_table = table;
  out->write_address = word_at(fields);
  out->write_count = word_at(fields + 2);
  out->data = fields + 5;
  enum modbus_exception exception = check_range(out->write_address, out->write_count, most);
  int bytes = table == MODBUS_COIL ? (out->write_count + 7) / 8 : 2 * out->write_count;
  return exception != EXCEPTION_NONE                   ? exception
         : fields[4] == bytes && size == 5 + fields[4] ? EXCEPTION_NONE
                                                       : EXCEPTION_VALUE;
}

static enum modbus_exception read_write_and_read(const uint8_t *fields, int size,
                                                 struct modbus_request *out) {
  if (size < 9)
    return EXCEPTION_VALUE;
  enum modbus_exception exception = read_read(fields, 4, MODBUS_HOLDING, MOST_READ_REGISTERS, out);
  return exception != EXCEPTION_NONE
             ? exception
             : read_write(fields + 4, size - 4, MODBUS_HOLDING, MOST_READ_WRITE_REGISTERS, out);
}

enum modbus_exception modbus_request_read(const uint8_t *frame, int size, struct modbus_request *out) {
  const uint8_t *fields = frame + MODBUS_FRAME_HEADER + 1;
  *out = (struct modbus_request){.unit = frame[6], .function = frame[7]};
  size -= MODBUS_FRAME_HEADER + 1;
  switch (out->function) {
  case READ_COILS:
    return read_read(fields, size, MODBUS_COIL, MOST_READ_BITS, out);
  case READ_DISCRETE:
    return read_read(fields, size, MODBUS_DISCRETE, MOST_READ_BITS, out);
  case READ_HOLDING:
    return read_read(fields, size, MODBUS_HOLDING, MOST_READ_REGISTERS, out);
  case READ_INPUT:
    return read_read(fields, size, MODBUS_INPUT, MOST_READ_REGISTERS, out);
  case WRITE_COIL:
    return read_write_one(fields, size, MODBUS_COIL, out);
  case WRITE_REGISTER:
    return read_write_one(fields, size, MODBUS_HOLDING, out);
  case WRITE_COILS:
    return read_write(fields, size, MODBUS_COIL, MOST_WRITE_BITS, out);
  case WRITE_REGISTERS:
    return read_write(fields, size, MODBUS_HOLDING, MOST_WRITE_REGISTERS, out);
  case WRITE_AND_READ:
    return read_write_and_read(fields, size, out);
  default:
    return EXCEPTION_FUNCTION;
  }
}

// The index-th value that the request writes: a bit or a register.
static uint16_t modbus_request_word(const struct modbus_request *request, int index) {
  if (request->write_table == MODBUS_HOLDING)
    return (uint16_t)word_at(request->data + 2 * (ptrdiff_t)index);
  if (request->function == WRITE_COIL)
    return request->data[0] != 0;
  return request->data[index / 8] >> (index % 8) & 1;
}

// Transaction and unit are those of the request; size: of function and what follows.
static int put_header(const uint8_t *frame, int function, int size, uint8_t *out) {
  memcpy(out, frame, 2);
  out[2] = out[3] = 0;
  out[4] = 0;
  out[5] = (uint8_t)(1 + size);
  out[6] = frame[6];
  out[7] = (uint8_t)function;
  return MODBUS_FRAME_HEADER + size;
}

static int put_values(const struct modbus_request *request, const uint16_t *values, uint8_t *out) {
  int is_bits = request->read_table == MODBUS_COIL || request->read_table == MODBUS_DISCRETE;
  int bytes = is_bits ? (request->read_count + 7) / 8 : 2 * request->read_count;
  out[0] = (uint8_t)bytes;
  memset(out + 1, 0, (size_t)bytes);
  for (int i = 0; i < request->read_count; i++)
    if (is_bits) {
      out[1 + i / 8] |= (uint8_t)((values[i] != 0) << (i % 8));
    } else {
      out[1 + 2 * i] = (uint8_t)(values[i] >> 8);
      out[2 + 2 * i] = (uint8_t)values[i];
    }
  return 1 + bytes;
}

int modbus_response_write(const uint8_t *frame, const struct modbus_request *request, const uint16_t *values,
                          uint8_t out[MODBUS_FRAME]) {
  uint8_t *fields = out + MODBUS_FRAME_HEADER + 1;
  int size = 4; // a write repeats its address, and its value or its count
  if (request->read_count > 0)
    size = put_values(request, values, fields);
  else
    memcpy(fields, frame + MODBUS_FRAME_HEADER + 1, (size_t)size);
  return put_header(frame, request->function, 1 + size, out);
}

int modbus_exception_write(const uint8_t *frame, enum modbus_exception exception, uint8_t out[MODBUS_FRAME]) {
  out[MODBUS_FRAME_HEADER + 1] = (uint8_t)exception;
  return put_header(frame, frame[7] | MODBUS_IS_ANSWER, 2, out);
}
