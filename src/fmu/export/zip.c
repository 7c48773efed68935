// A zip archive, written in one pass: deflated files without times, so that the same FMU has the same bytes.
// Source: APPNOTE.TXT - .ZIP File Format Specification 6.3.10 (PKWARE 2022), sections 4.3.7, 4.3.12, 4.3.16.
#include "fmu/export/export_internal.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
  VERSION = 20,
  MADE_BY_UNIX = 3 << 8,
  DEFLATED = 8,
  DAY = 1 << 5 | 1,
  NAMES_UTF8 = 1 << 11
}; // 1980-01-01
static const size_t MOST_BYTES = 0xfffffffeu; // more needs Zip64

struct entry {
  char *name;
  uint32_t crc, packed, size, at;
};

struct zip {
  FILE *out;
  struct entry *entry;
  size_t count, bytes;
};

struct record {
  unsigned char byte[64];
  size_t size;
};

static void put(struct record *r, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++)
    r->byte[r->size++] = (unsigned char)(value >> 8 * i);
}

// What the header of a file and its row in the list have in common.
static void put_entry(struct record *r, const struct entry *e) {
  put(r, VERSION, 2);
  put(r, NAMES_UTF8, 2);
  put(r, DEFLATED, 2);
  put(r, 0, 2); // time
  put(r, DAY, 2);
  put(r, e->crc, 4);
  put(r, e->packed, 4);
  put(r, e->size, 4);
  put(r, (uint32_t)strlen(e->name), 2);
  put(r, 0, 2); // no extra field
}

static int write_bytes(struct zip *zip, const void *bytes, size_t size) {
  zip->bytes += size;
  return zip->bytes <= MOST_BYTES && fwrite(bytes, 1, size, zip->out) == size;
}

struct zip *zip_begin(FILE *out) {
  struct zip *zip = calloc(1, sizeof *zip);
  if (zip)
    zip->out = out;
  return zip;
}

void zip_abandon(struct zip *zip) {
  for (size_t i = 0; zip && i < zip->count; i++)
    free(zip->entry[i].name);
  if (zip)
    free(zip->entry);
  free(zip);
}

// *packed is owned by the caller; NULL: out of memory.
static unsigned char *deflated(const void *bytes, size_t size, size_t *packed_size) {
  z_stream z = {0};
  if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return NULL;
  const size_t room = deflateBound(&z, (uLong)size);
  unsigned char *packed = malloc(room);
  z.next_in = (unsigned char *)bytes;
  z.avail_in = (uInt)size;
  z.next_out = packed;
  z.avail_out = (uInt)room;
  const int done = packed && deflate(&z, Z_FINISH) == Z_STREAM_END;
  *packed_size = z.total_out;
  deflateEnd(&z);
  if (done)
    return packed;
  free(packed);
  return NULL;
}

enum status zip_add(struct zip *zip, const char *name, const void *bytes, size_t size, struct reason *why) {
  struct record head = {.size = 0};
  struct entry *more = realloc(zip->entry, (zip->count + 1) * sizeof *more);
  if (!more)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the archive");
  zip->entry = more;
  if (size > MOST_BYTES / 2 || zip->count == 0xfffe)
    return fail(why, STATUS_BAD_INPUT, "%s: at most %zu bytes expected, got %zu", name, MOST_BYTES / 2, size);
  size_t packed_size;
  unsigned char *packed = deflated(bytes, size, &packed_size);
  char *copy = strdup(name);
  if (!packed || !copy) {
    free(packed);
    free(copy);
    return fail(why, STATUS_NO_MEMORY, "out of memory for the archive");
  }
  struct entry *e = &zip->entry[zip->count++];
  *e = (struct entry){copy, (uint32_t)crc32(0, bytes, (uInt)size), (uint32_t)packed_size, (uint32_t)size,
                      (uint32_t)zip->bytes};
  put(&head, 0x04034b50, 4);
  put_entry(&head, e);
  const int written = write_bytes(zip, head.byte, head.size) && write_bytes(zip, name, strlen(name)) &&
                      write_bytes(zip, packed, packed_size);
  free(packed);
  return written ? STATUS_OK : fail(why, STATUS_IO, "the archive could not be written");
}

static int write_row(struct zip *zip, const struct entry *e) {
  struct record row = {.size = 0};
  put(&row, 0x02014b50, 4);
  put(&row, MADE_BY_UNIX | VERSION, 2);
  put_entry(&row, e);
  put(&row, 0, 2);              // no comment
  put(&row, 0, 2);              // disk
  put(&row, 0, 2);              // internal attributes
  put(&row, 0100644u << 16, 4); // a file that all may read
  put(&row, e->at, 4);
  return write_bytes(zip, row.byte, row.size) && write_bytes(zip, e->name, strlen(e->name));
}

enum status zip_end(struct zip *zip, size_t *size, struct reason *why) {
  struct record end = {.size = 0};
  const size_t at = zip->bytes;
  int written = 1;
  for (size_t i = 0; i < zip->count; i++)
    written = written && write_row(zip, &zip->entry[i]);
  put(&end, 0x06054b50, 4);
  put(&end, 0, 4); // disks
  put(&end, (uint32_t)zip->count, 2);
  put(&end, (uint32_t)zip->count, 2);
  put(&end, (uint32_t)(zip->bytes - at), 4);
  put(&end, (uint32_t)at, 4);
  put(&end, 0, 2); // no comment
  written = written && write_bytes(zip, end.byte, end.size);
  *size = zip->bytes;
  zip_abandon(zip);
  return written ? STATUS_OK : fail(why, STATUS_IO, "the archive could not be written");
}
