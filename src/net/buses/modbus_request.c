#include "net/buses/modbus_request.h"

#include <stddef.h>
#include <string.h>

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

uint16_t modbus_request_word(const struct modbus_request *request, int index) {
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

int modbus_answer_write(const uint8_t *frame, const struct modbus_request *request, const uint16_t *values,
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
