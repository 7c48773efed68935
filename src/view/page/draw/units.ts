// How the page writes numbers: units of the protocol in, units for people out.

export const RAD = Math.PI / 180;
const ABSENT = "–";

/** Fixed decimals; a dash for what does not exist. Never "-0.0". */
export function fixed(value: number | undefined | null, decimals: number): string {
  if (value === undefined || value === null || !Number.isFinite(value)) return ABSENT;
  const text = value.toFixed(decimals);
  return /^-[0.]*$/.test(text) ? text.slice(1) : text;
}

/** A power of ten chosen by size: 1.25 MW, 830 kN; the space does not break. */
export function scaled(value: number | undefined | null, unit: string, digits = 3): string {
  if (value === undefined || value === null || !Number.isFinite(value)) return ABSENT;
  const size = Math.abs(value);
  const [divisor, prefix] = size >= 1e9 ? [1e9, "G"] : size >= 1e6 ? [1e6, "M"] : size >= 1e3 ? [1e3, "k"] : [1, ""];
  const shown = value / divisor;
  const whole = Math.max(1, Math.floor(Math.log10(Math.max(1, Math.abs(shown)))) + 1);
  return `${fixed(shown, Math.max(0, digits - whole))}\u00a0${prefix}${unit}`;
}

export function degrees(rad: number | undefined, decimals = 1): string {
  return fixed(rad === undefined ? undefined : rad / RAD, decimals);
}

/** A direction from 0 to 360 degrees, three digits before the point: 007.5. */
export function bearing(rad: number | undefined, decimals = 1): string {
  if (rad === undefined || !Number.isFinite(rad)) return ABSENT;
  const turn = 10 ** decimals * 360;
  const units = ((Math.round((rad / RAD) * 10 ** decimals) % turn) + turn) % turn;
  return (units / 10 ** decimals).toFixed(decimals).padStart(decimals ? decimals + 4 : 3, "0");
}

/** Simulated time as h:mm:ss.s. */
export function clock(time_s: number | undefined): string {
  if (time_s === undefined || !Number.isFinite(time_s)) return ABSENT;
  const tenths = Math.floor(Math.abs(time_s) * 10 + 1e-6);
  const [s, m, h] = [Math.floor(tenths / 10) % 60, Math.floor(tenths / 600) % 60, Math.floor(tenths / 36000)];
  const pad = (n: number) => String(n).padStart(2, "0");
  return `${time_s < 0 ? "-" : ""}${h}:${pad(m)}:${pad(s)}.${tenths % 10}`;
}

/** The time of day so many milliseconds ago. */
export function wallClock(ago_ms: number): string {
  return new Date(Date.now() - ago_ms).toLocaleTimeString("en-GB");
}

/** A count with thin spaces between groups of three. */
export function count(value: number | bigint | undefined): string {
  return value === undefined ? ABSENT : String(value).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

/** An angle from -pi to pi. */
export function wrapped(rad: number): number {
  return Math.atan2(Math.sin(rad), Math.cos(rad));
}

/** "max_curvature_1pm" as "max curvature 1pm". */
export function words(name: string): string {
  return name.replaceAll("_", " ");
}
