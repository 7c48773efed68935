/* The files of the page that sagbend-view serves, embedded in the program (src/view/page/page.cmake). */
#ifndef SAGBEND_VIEW_PAGE_PAGE_FILES_H
#define SAGBEND_VIEW_PAGE_PAGE_FILES_H

#include <stddef.h>

/* A file of the page. Its name is the path below "/" of an HTTP request; "index.html" is the page itself. */
struct page_file {
  const char *name;
  const char *type; /* value of Content-Type */
  const unsigned char *bytes;
  size_t size;                 /* number of bytes */
  const unsigned char *packed; /* the same compressed by gzip; NULL: not kept */
  size_t packed_size;
};

/* The files, page_file_count of them; none if the program was built without npm. */
extern const struct page_file page_files[];
extern const size_t page_file_count;

#endif
