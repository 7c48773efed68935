// Requests and answers of Modbus TCP (Modbus Messaging on TCP/IP Implementation Guide V1.0b; Modbus
// Application Protocol V1.1b3): their frames and fields. Pure functions.
#pragma once

#include "net/buses/modbus_def.h"

enum {
  MODBUS_FRAME = 260,      // bytes, at most
  MODBUS_FRAME_HEADER = 7, // bytes of transaction, protocol, length, unit
  MODBUS_IS_ANSWER = 0x80, // in the function code: an exception, not a request
  MODBUS_READS = 2000,     // bits of one request at most; of registers 125
};

// Exceptions, as the standard numbers them.
enum modbus_exception {
  EXCEPTION_NONE = 0,
  EXCEPTION_FUNCTION = 1,
  EXCEPTION_ADDRESS = 2,
  EXCEPTION_VALUE = 3,
  EXCEPTION_BUSY = 6,
  EXCEPTION_TARGET = 11, // no unit of that number
};

// The size of the first frame in data; 0: it is not complete yet; -1: this is no Modbus TCP, and where the
// next frame begins is unknown.
int modbus_frame_size(const uint8_t *data, size_t size);

struct modbus_request {
  int unit, function;
  int read_table, read_address, read_count;    // count 0: it reads nothing
  int write_table, write_address, write_count; // likewise
  const uint8_t *data;                         // what it writes: in bits, or in registers, high byte first
};

// Reads the fields of a complete frame.
enum modbus_exception modbus_request_read(const uint8_t *frame, int size, struct modbus_request *out);

// The index-th value that the request writes: a bit or a register.
uint16_t modbus_request_word(const struct modbus_request *request, int index);

// The answer to a request that was read from this frame. values: what it reads, bits as 0 and 1. Returns the
// size of the answer.
int modbus_answer_write(const uint8_t *frame, const struct modbus_request *request, const uint16_t *values,
                        uint8_t out[MODBUS_FRAME]);
// The answer to a request that is refused.
int modbus_exception_write(const uint8_t *frame, enum modbus_exception exception, uint8_t out[MODBUS_FRAME]);
