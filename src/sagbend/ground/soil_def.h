// A soil as configured: strength of the ground below a pipe, its stiffness and suction, and friction that
// breaks out.
#pragma once

enum soil_model {
  SOIL_CLAY, // undrained, DNV-RP-F114 model 2
  SOIL_SAND, // drained
  SOIL_TABLE // resistance by penetration
};
enum { SOIL_TABLE_MAX = 32 };

// Friction along one direction. The residual coefficients are those of env_def.
struct soil_friction_def {
  double peak;       // coefficient before the pipe has slipped; 0: the residual one
  double residual_m; // slip over which the peak falls to the residual, m
};

// A point of a table of resistances.
struct soil_point {
  double penetration_m, resistance_npm; // above 0
};

struct soil_def {
  enum soil_model model;
  double strength_pa, gradient_papm;       // undrained shear strength at the mudline, and by depth
  double weight_npm3;                      // submerged unit weight
  double friction_angle_rad;               // of sand
  int table_count;                         // SOIL_TABLE
  struct soil_point table[SOIL_TABLE_MAX]; // rising
  double stiffness;                        // Kmax: unloading stiffness over resistance per diameter
  double suction;                          // largest pull over the resistance
  double suction_depth;                    // share of the largest penetration over which the pull fades
  double lay_factor;                       // touchdown force over weight while it was laid; 0: by the statics
  double dynamic_factor;                   // further factor on it, of the motions while it was laid
  struct soil_friction_def axial, lateral;
  int passive; // 1: the berm of soil beside the pipe adds to the lateral peak
};
