#define _GNU_SOURCE // dl_iterate_phdr
#include "os/process/program_file.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum status program_beside(const char *name, char out[PROGRAM_PATH], struct reason *why) {
  char self[PROGRAM_PATH];
  ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
  self[size > 0 ? size : 0] = '\0';
  char *slash = strrchr(self, '/');
  if (!slash)
    return fail(why, STATUS_IO, "/proc/self/exe: %s", strerror(errno));
  *slash = '\0';
  if (snprintf(out, PROGRAM_PATH, "%s/%s", self, name) >= PROGRAM_PATH)
    return fail(why, STATUS_IO, "the path of %s beside this program is too long", name);
  return STATUS_OK;
}

// Finds the build id in a segment of ELF notes. Name and content of each note are padded to 4 bytes.
static int find_build_id(const unsigned char *at, const unsigned char *end, char out[OS_BUILD_ID_SIZE]) {
  while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, at, sizeof note);
    const unsigned char *name = at + sizeof note;
    size_t name_bytes = (note.n_namesz + 3u) & ~3u, bytes = (note.n_descsz + 3u) & ~3u;
    if ((size_t)(end - name) < name_bytes + bytes)
      return 0;
    const unsigned char *id = name + name_bytes;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(name, "GNU", 4)) {
      for (size_t i = 0; i < note.n_descsz && 2 * i + 2 < OS_BUILD_ID_SIZE; i++)
        snprintf(out + 2 * i, 3, "%02x", id[i]);
      return 1;
    }
    at = id + bytes;
  }
  return 0;
}

static int look_at_program(struct dl_phdr_info *info, size_t size, void *out) {
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    const unsigned char *start = (const unsigned char *)(info->dlpi_addr + segment->p_vaddr);
    if (segment->p_type == PT_NOTE && find_build_id(start, start + segment->p_memsz, out))
      break;
  }
  return 1; // the first object is the program itself, the others are its libraries
}

void os_build_id(char out[OS_BUILD_ID_SIZE]) {
  strcpy(out, "unknown");
  dl_iterate_phdr(look_at_program, out);
}

// Reads the headers of an ELF file and looks at its notes; those of a linker are some 100 bytes.
static void look_at_file(int file, char out[OS_BUILD_ID_SIZE]) {
  ElfW(Ehdr) head;
  ElfW(Phdr) segment;
  unsigned char notes[4096];
  const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  if (pread(file, &head, sizeof head, 0) != sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != class)
    return;
  for (size_t i = 0; i < head.e_phnum; i++) {
    if (pread(file, &segment, sizeof segment, (off_t)(head.e_phoff + i * sizeof segment)) != sizeof segment)
      return;
    if (segment.p_type != PT_NOTE || segment.p_filesz > sizeof notes)
      continue;
    ssize_t size = pread(file, notes, segment.p_filesz, (off_t)segment.p_offset);
    if (size > 0 && find_build_id(notes, notes + size, out))
      return;
  }
}

void os_build_id_of(const char *path, char out[OS_BUILD_ID_SIZE]) {
  strcpy(out, "unknown");
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return;
  look_at_file(file, out);
  close(file);
}
