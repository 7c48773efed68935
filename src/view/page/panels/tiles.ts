// The row of numbers that a DP operator looks at first. The zone of the offset stands there in words as well as in colour.
import { el, readout, setData, setText } from "../draw/dom.ts";
import { QUANTITIES, shown, type Quantity } from "../draw/quantities.ts";
import { SIGN } from "../draw/signs.ts";
import { degrees, fixed } from "../draw/units.ts";
import { latchedOf, type AlarmLine } from "../store/alarms.ts";
import { limitOf, pipeOf, zoneOf, type Zone } from "../store/session.ts";
import type { Context, Panel } from "./panel.ts";

const ZONES: Record<Zone, [string, string]> = {
  unknown: ["no watch circles", "off"],
  inside: [`${SIGN.normal} inside warning circle`, "normal"],
  warning: [`${SIGN.warning} beyond warning circle`, "caution"],
  alarm: [`${SIGN.alarm} beyond alarm circle`, "alarm"],
};

export function tiles({ store }: Context): Panel {
  const element = el("section", { class: "tiles", "aria-label": "Overview" });
  const tile = (label: string, unit: string, name: string) => {
    const number = readout(label, unit, name, "large");
    const state = el("span", { class: "state" });
    number.element.append(state);
    setData(number.element, "tile", name);
    element.append(number.element);
    return {
      element: number.element,
      set(text: string, step: bigint | undefined, words = "", kind = "off") {
        number.set(text, step);
        setText(state, words);
        setData(state, "state", kind);
        setData(number.element, "state", kind);
      },
    };
  };
  const offset = tile(QUANTITIES.offset_m.label, QUANTITIES.offset_m.unit, "offset_m");
  const parts = tile("Ahead / starboard", "m", "offset_parts");
  const crossTrack = tile("Cross-track", "m", "route_cross_m");
  const heading = tile("Heading error", "°", "heading_error_deg");
  const tension = tile(QUANTITIES.hangoff_tension_n.label, QUANTITIES.hangoff_tension_n.unit, "hangoff_tension_n");
  const layback = tile("Lay-back", "m", "layback_m");
  const curvature = tile(QUANTITIES.max_curvature_1pm.label, QUANTITIES.max_curvature_1pm.unit, "max_curvature_1pm");
  const moment = tile(QUANTITIES.max_moment_nm.label, QUANTITIES.max_moment_nm.unit, "max_moment_nm");
  const faults = tile("Active faults", "", "fault_count");
  const missed = tile("Late or lost steps", "", "late_steps_and_lost_periods");
  const lag = tile("Lag", "s", "lag_s");

  function draw(): void {
    const { status, session, timing, truth } = store.newest;
    const station = status?.station;
    const step = status?.header?.step;
    const lines = store.alarmLines();
    const zone = zoneOf(session, station?.offsetM);
    const latched = zone === "inside" ? latchedOf(lines, "offset_m") : undefined;
    const [words, kind] = latched ? latchedWords(QUANTITIES.offset_m, latched) : ZONES[zone];
    offset.set(fixed(station?.offsetM, 2), step, words, kind);
    parts.set(`${fixed(station?.offsetForwardM, 1)} / ${fixed(station?.offsetStarboardM, 1)}`, step,
              store.isOnRoute() ? "from the route" : store.setpoint() ? "from the set-point" : session ? "from the start" : "");
    const route = station?.route;
    crossTrack.element.hidden = !route;
    crossTrack.set(fixed(route?.crossTrackM, 2), step, route ? `at ${fixed(route.distanceM, 0)} of ${fixed(station?.routeLengthM, 0)} m` : "");
    heading.set(degrees(station?.headingErrorRad), step);

    const pipe = pipeOf(store.newest);
    for (const one of [tension, layback, curvature, moment]) one.element.hidden = !pipe && !session?.pipe;
    against(tension, "hangoff_tension_n", pipe?.tensionN, pipe?.step, limitOf(session, "tensionN"), lines);
    layback.set(fixed(pipe?.touchdown?.laybackM, 1), pipe?.touchdownStep ?? pipe?.step, pipe && !pipe.touchdown ? "no contact" : "");
    against(curvature, "max_curvature_1pm", pipe?.curvature1pm, pipe?.step, limitOf(session, "curvature1pm"), lines);
    against(moment, "max_moment_nm", truth?.pipe?.maxMomentNm, truth?.header?.step, limitOf(session, "momentNm"), lines);

    faults.set(status ? String(status.faultCount) : "–", step, Number(status?.faultCount ?? 0) ? `${SIGN.caution} injected` : "none", Number(status?.faultCount ?? 0) ? "caution" : "off");
    const misses = timing && timing.lateSteps + timing.lostPeriods;
    missed.set(misses === undefined ? "–" : String(misses), timing?.header?.step, misses ? `${SIGN.caution} since the start` : "none", misses ? "caution" : "off");
    lag.set(fixed(timing?.lagS, 3), timing?.header?.step);
  }

  return { element, needs: ["status", "session", "timing", "truth", "nodes", "sensors", "alarms", "playback"], draw };
}

interface Tile {
  set(text: string, step: bigint | undefined, words?: string, kind?: string): void;
}

/** What an alarm says of a number that is within its limit again, until it is acknowledged. */
function latchedWords(quantity: Quantity, { worst, newest }: AlarmLine): [string, string] {
  return [`${SIGN[newest.category]} was over: ${shown(quantity, worst?.value)}`, newest.category];
}

function against(tile: Tile, name: keyof typeof QUANTITIES, value: number | undefined, step: bigint | undefined, limit: number | undefined, lines: AlarmLine[]): void {
  const quantity = QUANTITIES[name];
  const text = shown(quantity, value);
  const latched = latchedOf(lines, name);
  if (value === undefined) tile.set(text, step);
  else if (limit === undefined) tile.set(text, step, "no limit given");
  else if (value > limit) tile.set(text, step, `${SIGN.alarm} over limit ${shown(quantity, limit)}`, "alarm");
  else if (latched) tile.set(text, step, ...latchedWords(quantity, latched));
  else tile.set(text, step, `${fixed((100 * value) / limit, 0)} % of limit`, "normal");
}
