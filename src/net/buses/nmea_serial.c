#define _DEFAULT_SOURCE // struct termios
#include "net/buses/nmea_address.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int nmea_open_serial(const char *device, int baud, int flags) {
  struct termios line;
  speed_t speed = nmea_speed(baud);
  int file = open(device, flags | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return -1;
  int is_good = tcgetattr(file, &line) == 0;
  if (is_good) {
    line.c_iflag = 0;
    line.c_oflag = 0;
    line.c_lflag = 0;
    line.c_cflag = CS8 | CLOCAL | CREAD;
    is_good = cfsetospeed(&line, speed) == 0 && cfsetispeed(&line, speed) == 0 &&
              tcsetattr(file, TCSANOW, &line) == 0;
  }
  if (is_good)
    return file;
  int error = errno;
  close(file);
  errno = error;
  return -1;
}
