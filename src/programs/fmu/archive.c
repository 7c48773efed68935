// Unpacks an FMU, which is a zip archive, by its list of files at the end.
// Source: APPNOTE.TXT - .ZIP File Format Specification 6.3.10 (PKWARE 2022), sections 4.3.7, 4.3.12, 4.3.16.
#define _GNU_SOURCE // nftw, mkdtemp, flock
#include "programs/fmu/fmu_program_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { END_SIZE = 22, ROW_SIZE = 46, HEAD_SIZE = 30, STORED = 0, DEFLATED = 8 };
static const size_t LARGEST = (size_t)1 << 30;

struct bytes {
  unsigned char *at;
  size_t size;
};

static uint32_t number(const unsigned char *at, int bytes) {
  uint32_t value = 0;
  for (int i = bytes - 1; i >= 0; i--)
    value = value << 8 | at[i];
  return value;
}

// at NULL: errno says why.
static struct bytes read_all(const char *path) {
  struct bytes all = {NULL, 0};
  FILE *file = fopen(path, "rb");
  if (file)
    all.at = (unsigned char *)stream_read(file, LARGEST, &all.size);
  if (all.at && (all.size > LARGEST || ferror(file))) {
    errno = all.size > LARGEST ? EFBIG : EIO;
    free(all.at);
    all.at = NULL;
  }
  if (file)
    fclose(file);
  return all;
}

// A name that stays below the folder.
static int is_safe(const char *name) {
  if (!*name || *name == '/' || strchr(name, '\\'))
    return 0;
  for (const char *part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
    if (!strncmp(part, "..", 2) && (part[2] == '/' || !part[2]))
      return 0;
  return 1;
}

static int make_folders(char *path, size_t from) {
  for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    const int failed = mkdir(path, 0700) && errno != EEXIST;
    *slash = '/';
    if (failed)
      return 0;
  }
  return 1;
}

static unsigned char *inflated(const unsigned char *from, size_t packed, size_t size, int method) {
  unsigned char *out = size < LARGEST ? malloc(size + 1) : NULL;
  z_stream z = {.next_in = (unsigned char *)from,
                .avail_in = (uInt)packed,
                .next_out = out,
                .avail_out = (uInt)size + 1};
  if (out && method == STORED && packed == size) {
    memcpy(out, from, size);
    return out;
  }
  if (out && method == DEFLATED && inflateInit2(&z, -MAX_WBITS) == Z_OK) {
    const int done = inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == size;
    inflateEnd(&z);
    if (done)
      return out;
  }
  free(out);
  return NULL;
}

static enum status unpack_one(const struct bytes *all, const unsigned char *row, const char *folder,
                              struct reason *why) {
  char path[2 * FMU_PATH], name[FMU_PATH];
  const uint32_t length = number(row + 28, 2), packed = number(row + 20, 4), size = number(row + 24, 4),
                 at = number(row + 42, 4);
  snprintf(name, sizeof name, "%.*s", (int)length, (const char *)row + ROW_SIZE);
  if (length >= sizeof name || !is_safe(name))
    return fail(why, STATUS_BAD_INPUT, "a name below the folder of the FMU expected, got '%.100s'", name);
  if ((size_t)at + HEAD_SIZE > all->size)
    return fail(why, STATUS_BAD_INPUT, "%.100s: an entry of an archive expected", name);
  const size_t begin = (size_t)at + HEAD_SIZE + number(all->at + at + 26, 2) + number(all->at + at + 28, 2);
  const int written = snprintf(path, sizeof path, "%s/%s", folder, name);
  if (written >= (int)sizeof path || !make_folders(path, strlen(folder) + 1))
    return fail(why, STATUS_IO, "%.160s: %s", path, strerror(errno));
  if (path[written - 1] == '/')
    return STATUS_OK;
  unsigned char *bytes =
      begin + packed <= all->size ? inflated(all->at + begin, packed, size, (int)number(row + 10, 2)) : NULL;
  if (!bytes || crc32(0, bytes, size) != number(row + 16, 4)) {
    free(bytes);
    return fail(why, STATUS_BAD_INPUT, "%.100s: a whole file in the archive expected, got a damaged one",
                name);
  }
  FILE *file = fopen(path, "wb");
  const int ok = file && fwrite(bytes, 1, size, file) == size;
  free(bytes);
  if (file && fclose(file))
    return fail(why, STATUS_IO, "%.160s: %s", path, strerror(errno));
  return ok ? STATUS_OK : fail(why, STATUS_IO, "%.160s: %s", path, strerror(errno));
}

static enum status unpack_all(const struct bytes *all, const char *path, const char *folder,
                              struct reason *why) {
  size_t end = all->size < END_SIZE ? 0 : all->size - END_SIZE + 1;
  const size_t earliest = end > 65536 ? end - 65536 : 0;
  while (end > earliest && number(all->at + end - 1, 4) != 0x06054b50)
    end--;
  if (end == earliest)
    return fail(why, STATUS_BAD_INPUT, "%.160s:1:1: an FMU, which is a zip archive, expected", path);
  size_t row = number(all->at + end - 1 + 16, 4);
  enum status status = STATUS_OK;
  for (uint32_t i = number(all->at + end - 1 + 10, 2); i && status == STATUS_OK; i--) {
    if (row + ROW_SIZE > all->size || number(all->at + row, 4) != 0x02014b50 ||
        row + ROW_SIZE + number(all->at + row + 28, 2) > all->size)
      return fail(why, STATUS_BAD_INPUT, "%.160s: a list of files expected in the archive, got a damaged one",
                  path);
    status = unpack_one(all, all->at + row, folder, why);
    row += ROW_SIZE + number(all->at + row + 28, 2) + number(all->at + row + 30, 2) +
           number(all->at + row + 32, 2);
  }
  return status;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)kind, (void)place;
  return remove(path);
}

void archive_remove(const char *folder) {
  if (*folder)
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

// A folder belongs to a process as long as it holds its lock. What processes that were killed have left goes.
static void remove_forsaken(const char *parent) {
  static const char begin[] = "sagbend-fmu-";
  char path[2 * FMU_PATH];
  struct stat status;
  DIR *names = opendir(parent);
  for (struct dirent *d; names && (d = readdir(names));) {
    if (strncmp(d->d_name, begin, sizeof begin - 1) != 0 ||
        snprintf(path, sizeof path, "%s/%s", parent, d->d_name) >= (int)sizeof path)
      continue;
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && !fstat(folder, &status) && status.st_uid == geteuid() &&
        time(NULL) - status.st_mtime > 60 && flock(folder, LOCK_EX | LOCK_NB) == 0)
      archive_remove(path);
    if (folder >= 0)
      close(folder);
  }
  if (names)
    closedir(names);
}

enum status archive_unpack(const char *path, char folder[FMU_PATH], struct reason *why) {
  const char *given = getenv("TMPDIR"), *parent = given && *given ? given : "/tmp";
  struct bytes all = read_all(path);
  *folder = '\0';
  if (!all.at)
    return fail(why, STATUS_BAD_INPUT, "%.160s:1:1: a readable file expected: %s", path, strerror(errno));
  remove_forsaken(parent);
  snprintf(folder, FMU_PATH, "%.900s/sagbend-fmu-XXXXXX", parent);
  enum status status = STATUS_OK;
  if (!mkdtemp(folder))
    status = fail(why, STATUS_IO, "%.160s: %s", folder, strerror(errno));
  else {
    const int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC); // held until the process ends
    if (lock >= 0)
      flock(lock, LOCK_EX | LOCK_NB);
    status = unpack_all(&all, path, folder, why);
  }
  free(all.at);
  return status;
}
