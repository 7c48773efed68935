// The rate of messages on each connection.
#include "net/zmtp/clock.h"
#include "net/server/server_internal.h"

static const int64_t THOUSAND = 1000;

// The meter of a connection, full if it is new in its slot.
static struct meter *find_meter(struct guard *guard, const struct sender *from, int64_t now) {
  struct meter *meter = &guard->meter[from->slot];
  if (meter->connection != from->connection)
    *meter =
        (struct meter){.connection = from->connection, .at_ms = now, .budget = THOUSAND * MESSAGES_PER_S};
  return meter;
}

int server_meter(struct server *server, const struct sender *from, int *is_first) {
  int64_t now = clock_ms(), most = THOUSAND * MESSAGES_PER_S;
  struct meter *meter = find_meter(&server->guard, from, now);
  meter->budget += (now - meter->at_ms) * MESSAGES_PER_S; // a thousandth of a message per millisecond and 1/s
  meter->budget = meter->budget > most ? most : meter->budget;
  meter->at_ms = now;
  *is_first = 0;
  if (meter->budget >= THOUSAND) {
    meter->budget -= THOUSAND;
    meter->is_over &= meter->budget < most / 2;
    return 1;
  }
  *is_first = !meter->is_over;
  meter->is_over = 1;
  return 0;
}

void server_meter_return(struct server *server, const struct sender *from) {
  find_meter(&server->guard, from, clock_ms())->budget += THOUSAND;
}
