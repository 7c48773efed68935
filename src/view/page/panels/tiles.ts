// The row of numbers that a DP operator looks at first. The zone of the offset stands there in words as well as in colour.
import { el, readout, setData, setText } from "../draw/dom.ts";
import { degrees, fixed } from "../draw/units.ts";
import { limitOf, pipeOf, zoneOf, type Zone } from "../store/session.ts";
import type { Context, Panel } from "./panel.ts";

const ZONES: Record<Zone, [string, string]> = {
  unknown: ["no watch circles", "off"],
  inside: ["● inside warning circle", "normal"],
  warning: ["▲ beyond warning circle", "caution"],
  alarm: ["■ beyond alarm circle", "alarm"],
};

export function tiles({ store }: Context): Panel {
  const element = el("section", { class: "tiles", "aria-label": "Overview" });
  const tile = (label: string, unit: string, name: string) => {
    const number = readout(label, unit, name, "large");
    const state = el("span", { class: "state" });
    number.element.append(state);
    element.append(number.element);
    return {
      set(text: string, step: bigint | undefined, words = "", kind = "off") {
        number.set(text, step);
        setText(state, words);
        setData(state, "state", kind);
        setData(number.element, "state", kind);
      },
    };
  };
  const offset = tile("Offset", "m", "offset_m");
  const parts = tile("Ahead / starboard", "m", "offset_parts");
  const heading = tile("Heading error", "°", "heading_error_deg");
  const tension = tile("Hang-off tension", "kN", "hangoff_tension_n");
  const layback = tile("Lay-back", "m", "layback_m");
  const curvature = tile("Largest curvature", "1/m", "max_curvature_1pm");
  const moment = tile("Largest moment", "kN m", "max_moment_nm");
  const faults = tile("Active faults", "", "fault_count");
  const missed = tile("Missed steps", "", "missed_steps");
  const lag = tile("Lag", "s", "lag_s");

  function draw(): void {
    const { status, session, timing, truth } = store.newest;
    const station = status?.station;
    const step = status?.header?.step;
    const [words, kind] = ZONES[zoneOf(session, station?.offsetM)];
    offset.set(fixed(station?.offsetM, 2), step, words, kind);
    parts.set(`${fixed(station?.offsetForwardM, 1)} / ${fixed(station?.offsetStarboardM, 1)}`, step,
              store.setpoint() ? "from the set-point" : session ? "from the start" : "");
    heading.set(degrees(station?.headingErrorRad), step);

    const pipe = pipeOf(store.newest);
    against(tension, pipe && pipe.tensionN, 1e-3, 1, pipe?.step, limitOf(session, "tensionN"));
    layback.set(fixed(pipe?.touchdown?.laybackM, 1), pipe?.touchdownStep ?? pipe?.step, pipe && !pipe.touchdown ? "no contact" : "");
    against(curvature, pipe?.curvature1pm, 1, 5, pipe?.step, limitOf(session, "curvature1pm"));
    against(moment, truth?.pipe?.maxMomentNm, 1e-3, 1, truth?.header?.step, limitOf(session, "momentNm"));

    faults.set(status ? String(status.faultCount) : "–", step, Number(status?.faultCount ?? 0) ? "▲ injected" : "none", Number(status?.faultCount ?? 0) ? "caution" : "off");
    const misses = timing && timing.deadlineMisses + timing.skippedPeriods;
    missed.set(misses === undefined ? "–" : String(misses), timing?.header?.step, misses ? "▲ since the start" : "none", misses ? "caution" : "off");
    lag.set(fixed(timing?.lagS, 3), timing?.header?.step);
  }

  return { element, needs: ["status", "session", "timing", "truth", "nodes", "sensors"], draw };
}

interface Tile {
  set(text: string, step: bigint | undefined, words?: string, kind?: string): void;
}

function against(tile: Tile, value: number | undefined, scale: number, decimals: number, step: bigint | undefined, limit: number | undefined): void {
  const text = fixed(value === undefined ? undefined : value * scale, decimals);
  if (value === undefined) tile.set(text, step);
  else if (limit === undefined) tile.set(text, step, "no limit given");
  else if (value > limit) tile.set(text, step, `■ over limit ${fixed(limit * scale, decimals)}`, "alarm");
  else tile.set(text, step, `${fixed((100 * value) / limit, 0)} % of limit`, "normal");
}
