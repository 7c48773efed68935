#include "view/server/parcel.h"

#include <stdlib.h>
#include <string.h>

struct parcel *parcel_create(int channel, uint64_t time_ns, const void *bytes, size_t size) {
  struct parcel *parcel = malloc(sizeof *parcel + size);
  if (!parcel)
    return NULL;
  parcel->users = 1;
  parcel->channel = channel;
  parcel->time_ns = time_ns;
  parcel->size = size;
  if (size > 0)
    memcpy(parcel->bytes, bytes, size);
  return parcel;
}

struct parcel *parcel_share(struct parcel *parcel) {
  if (parcel)
    parcel->users++;
  return parcel;
}

void parcel_drop(struct parcel *parcel) {
  if (parcel && --parcel->users == 0)
    free(parcel);
}

void parcel_replace(struct parcel **slot, struct parcel *parcel) {
  parcel_drop(*slot);
  *slot = parcel;
}
