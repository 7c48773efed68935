// How quantities of the outputs (docs/outputs.md) that have limits are called and written.
import { fixed } from "./units.ts";

export interface Quantity {
  label: string;
  unit: string; // as shown
  scale: number; // from the unit of the protocol
  decimals: number;
}

export const QUANTITIES = {
  offset_m: { label: "Position error", unit: "m", scale: 1, decimals: 2 },
  hangoff_tension_n: { label: "Hang-off tension", unit: "kN", scale: 1e-3, decimals: 1 },
  max_curvature_1pm: { label: "Largest curvature", unit: "1/m", scale: 1, decimals: 5 },
  max_moment_nm: { label: "Largest moment", unit: "kN\u00a0m", scale: 1e-3, decimals: 1 },
} as const satisfies Record<string, Quantity>;

export function quantityOf(name: string): Quantity | undefined {
  return (QUANTITIES as Record<string, Quantity>)[name];
}

export function shown({ scale, decimals }: Quantity, value: number | undefined): string {
  return fixed(value === undefined ? undefined : value * scale, decimals);
}
