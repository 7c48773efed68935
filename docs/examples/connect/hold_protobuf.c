// Holds a vessel where it starts, over ZeroMQ and protobuf, without the package (docs/connect.md): Hello, Welcome, and a Command for each Sensors.
// A vessel with thrusters refuses the wrench: it takes effort_case ..._EFFORT_THRUSTERS, set-points by the names in Welcome.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <zmq.h>
#include "sagbend/v1/envelope.pb-c.h"

static void *dealer;
static char session[64]; // of the newest Welcome; empty: none
static uint64_t sequence;

static void send_message(Sagbend__V1__Envelope *envelope, Sagbend__V1__Header *header) { // every message has a header of its own
  static uint8_t bytes[4096]; // what a controller sends is smaller
  header->protocol = 1, header->session = session, header->sequence = ++sequence;
  zmq_send(dealer, bytes, sagbend__v1__envelope__pack(envelope, bytes), 0);
}

int main(int count, char **argument) {
  Sagbend__V1__Header header = SAGBEND__V1__HEADER__INIT;
  Sagbend__V1__Hello hello = SAGBEND__V1__HELLO__INIT;
  Sagbend__V1__Command command = SAGBEND__V1__COMMAND__INIT;
  Sagbend__V1__BodyWrench wrench = SAGBEND__V1__BODY_WRENCH__INIT;
  Sagbend__V1__Envelope greeting = SAGBEND__V1__ENVELOPE__INIT, answer = SAGBEND__V1__ENVELOPE__INIT;
  double hold[3] = {0, 0, 0}, at[3] = {NAN, 0, 0}; // N, N m; where it starts
  hello.header = command.header = &header, hello.name = "hold", hello.controller_id = command.controller_id = "hold-c"; // the id: one of your own
  greeting.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_HELLO, greeting.hello = &hello;
  answer.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_COMMAND, answer.command = &command;
  command.effort_case = SAGBEND__V1__COMMAND__EFFORT_WRENCH, command.wrench = &wrench;

  dealer = zmq_socket(zmq_ctx_new(), ZMQ_DEALER);
  zmq_setsockopt(dealer, ZMQ_RCVTIMEO, &(int){500}, sizeof(int)), zmq_setsockopt(dealer, ZMQ_SNDHWM, &(int){2}, sizeof(int));
  zmq_connect(dealer, count > 1 ? argument[1] : "tcp://127.0.0.1:47700");
  for (int is_on = 1; is_on;) {
    static uint8_t bytes[1 << 20];
    const int size = zmq_recv(dealer, bytes, sizeof bytes, 0);
    if (size < 0) { // no simulator yet, or a pause: say Hello
      session[0] = 0;
      send_message(&greeting, &header);
      continue;
    }
    Sagbend__V1__Envelope *got = sagbend__v1__envelope__unpack(NULL, (size_t)size, bytes);
    if (got && got->message_case == SAGBEND__V1__ENVELOPE__MESSAGE_WELCOME) {
      snprintf(session, sizeof session, "%s", got->welcome->header->session);
      hold[0] = got->welcome->initial_holding_force->surge_n, hold[1] = got->welcome->initial_holding_force->sway_n, hold[2] = got->welcome->initial_holding_force->yaw_nm;
    } else if (got && got->message_case == SAGBEND__V1__ENVELOPE__MESSAGE_SENSORS && *session) {
      const Sagbend__V1__Sensors *s = got->sensors;
      if (isnan(at[0])) at[0] = s->position_north_m, at[1] = s->position_east_m, at[2] = s->heading_rad;
      const double north = -5e5 * (s->position_north_m - at[0]) - 3e6 * s->velocity_north_mps, east = -5e5 * (s->position_east_m - at[1]) - 3e6 * s->velocity_east_mps;
      const double c = cos(s->heading_rad), d = sin(s->heading_rad); // turned into the axes of the vessel
      wrench.surge_n = hold[0] + c * north + d * east, wrench.sway_n = hold[1] - d * north + c * east;
      wrench.yaw_nm = hold[2] - 2e7 * remainder(s->heading_rad - at[2], 6.283185307179586) - 2e8 * s->heading_rate_radps;
      command.based_on_step = s->header->step; // the Sensors that it answers
      send_message(&answer, &header);
    } else if (got && got->message_case == SAGBEND__V1__ENVELOPE__MESSAGE_REFUSAL) fprintf(stderr, "refused: %s\n", got->refusal->text);
    is_on = !(got && got->message_case == SAGBEND__V1__ENVELOPE__MESSAGE_END);
    if (got) sagbend__v1__envelope__free_unpacked(got, NULL);
  }
}
