// The colours that canvases use: OpenBridge's variables of the palette in use, read once for each change of palette.

export type PaletteName = "day" | "dusk" | "night";
export const PALETTES: readonly PaletteName[] = ["day", "dusk", "night"];

const VARIABLES = {
  text: "--element-active-color",
  muted: "--element-neutral-color",
  faint: "--element-disabled-color",
  divider: "--border-divider-color",
  surface: "--container-global-color",
  strong: "--instrument-enhanced-primary-color",
  strong2: "--instrument-enhanced-secondary-color",
  weak: "--instrument-enhanced-tertiary-color",
  outline: "--instrument-regular-secondary-color",
  first: "--data-categorical-qualitative-01",
  second: "--data-categorical-qualitative-02",
  third: "--data-categorical-qualitative-03",
  fourth: "--data-categorical-qualitative-04",
  normal: "--page-normal-color",
  caution: "--page-caution-color",
  alarm: "--alert-alarm-color",
  water: "--page-water-color",
  seabed: "--page-seabed-color",
} as const;

export type Palette = Record<keyof typeof VARIABLES, string>;

let palette: Palette | undefined;

export function colours(): Palette {
  if (!palette) {
    const style = getComputedStyle(document.documentElement);
    const entries = Object.entries(VARIABLES).map(([name, variable]) => [name, style.getPropertyValue(variable).trim()]);
    palette = Object.fromEntries(entries) as Palette;
  }
  return palette;
}

export function choosePalette(name: PaletteName): void {
  document.documentElement.dataset["obcTheme"] = name;
  palette = undefined;
}

/** From 0 (low) to 1 (at the limit) a ramp of the palette; beyond 1 the colour of alarms, if there is a limit. */
export function loadColour(share: number, isLimit: boolean): string {
  const c = colours();
  if (isLimit && share > 1) return c.alarm;
  return mix(c.first, c.caution, Math.min(1, Math.max(0, share)));
}

export function rgb(colour: string): [number, number, number] {
  const hex = /^#(..)(..)(..)/.exec(colour);
  const parts = hex ? hex.slice(1).map((pair) => parseInt(pair, 16)) : (colour.match(/[\d.]+/g) ?? []).map(Number);
  return [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0];
}

function mix(from: string, to: string, share: number): string {
  const [a, b] = [rgb(from), rgb(to)];
  return `rgb(${a.map((x, i) => Math.round(x + ((b[i] ?? 0) - x) * share)).join(",")})`;
}
