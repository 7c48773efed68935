"""A clay with friction that breaks out: section environment.soil of program_soil and program_together."""
CLAY = {"model": "clay", "strength_pa": 3000, "strength_gradient_papm": 1500, "unit_weight_npm3": 5000, "axial_peak": 0.6,
        "axial_residual_m": 0.3, "lateral_peak": 1.2, "lateral_residual_m": 0.6, "lateral_passive": True}
