// Convergence of the statics in the norm of Saefstroem (2009), eq. 5.109, the data of its Figure 5.3: for
// each number of elements, the relative element length and the error over the length, against 1024 elements.
// CSV for tools/pictures.
#include "scenes.h"

static struct sim *statics(int elements) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  def.pipe.elements = elements;
  return shipped_create(&def);
}

int main(void) {
  struct sim *fine = statics(1024);
  printf("elements,share_of_length,error_over_length\n");
  for (int n = 8; n <= 512; n *= 2) {
    struct sim *s = statics(n);
    printf("%d,%.9g,%.9g\n", n, 1.0 / n, scene_distance(s, fine) / s->def->pipe.length_m);
    shipped_free(s);
  }
  shipped_free(fine);
  return 0;
}
