#include "view/scene/scene.h"

extern const unsigned char wire_descriptor_foxglove_transforms[], wire_descriptor_foxglove_scene[],
    wire_descriptor_foxglove_log[];
extern const size_t wire_descriptor_foxglove_transforms_size, wire_descriptor_foxglove_scene_size,
    wire_descriptor_foxglove_log_size;

static const struct channel {
  const char *topic, *type;
  const unsigned char *descriptor;
  const size_t *size;
} CHANNELS[] = {
#define X(id, topic, type, file)                                                                             \
  {topic, type, wire_descriptor_foxglove_##file, &wire_descriptor_foxglove_##file##_size},
    SCENE_CHANNEL_TABLE(X)
#undef X
};

const char *scene_channel_topic(enum scene_channel channel) {
  return CHANNELS[channel].topic;
}

const char *scene_channel_type(enum scene_channel channel) {
  return CHANNELS[channel].type;
}

const void *scene_channel_descriptor(enum scene_channel channel, size_t *size) {
  *size = *CHANNELS[channel].size;
  return CHANNELS[channel].descriptor;
}
