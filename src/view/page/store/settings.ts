// What a viewer chooses: kept by the browser between visits.
import { choosePalette, PALETTES, type PaletteName } from "../draw/palette.ts";

interface Values {
  palette: PaletteName;
  isHeadingUp: boolean;
  isScene: boolean; // the 3-D view is drawn
  plan: "vessel" | "pipe"; // what the plan shows whole
  window_s: number; // of the trends
  load: "curvature" | "utilisation"; // what the colour of the pipe shows
  isRange: boolean; // graphs along the pipe are shown
  trends: string[][] | undefined; // the quantities of each plot; undefined: what suits the session
}

const KEY = "sagbend-view";
export const WINDOWS_S = [120, 600, 3600, 10800] as const;

export class Settings {
  readonly values: Values = { palette: "day", isHeadingUp: false, isScene: true, plan: "vessel", window_s: 600, load: "curvature", isRange: false, trends: undefined };

  constructor(private readonly changed: () => void) {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Values>;
      if (PALETTES.includes(kept.palette as PaletteName)) this.values.palette = kept.palette as PaletteName;
      if (typeof kept.isHeadingUp === "boolean") this.values.isHeadingUp = kept.isHeadingUp;
      if (typeof kept.isRange === "boolean") this.values.isRange = kept.isRange;
      if (typeof kept.isScene === "boolean") this.values.isScene = kept.isScene;
      if (kept.plan === "pipe") this.values.plan = "pipe";
      if (kept.load === "utilisation") this.values.load = "utilisation";
      if (isListOfLists(kept.trends)) this.values.trends = kept.trends;
      if (WINDOWS_S.includes(kept.window_s as 120)) this.values.window_s = kept.window_s as number;
    } catch {
      // nothing kept, or no storage: the defaults hold
    }
    choosePalette(this.values.palette);
  }

  set<K extends keyof Values>(key: K, value: Values[K]): void {
    this.values[key] = value;
    if (key === "palette") choosePalette(this.values.palette);
    try {
      localStorage.setItem(KEY, JSON.stringify(this.values));
    } catch {
      // no storage: the choice holds until the page is closed
    }
    this.changed();
  }
}

function isListOfLists(value: unknown): value is string[][] {
  const isList = (one: unknown) => Array.isArray(one) && one.length > 0 && one.every((name) => typeof name === "string" && /^\w+$/.test(name));
  return Array.isArray(value) && value.length > 0 && value.length <= 8 && value.every(isList);
}
