// The thrusters. OpenBridge's azimuth and tunnel instruments show the true state; their marker is the set-point of the controller,
// if it publishes one. The words below state what is true, what the feedback reports to the controller, and its set-point.
import { ObcAzimuthThruster } from "@oicl/openbridge-webcomponents/dist/navigation-instruments/azimuth-thruster/azimuth-thruster.js";
import { ObcThruster } from "@oicl/openbridge-webcomponents/dist/navigation-instruments/thruster/thruster.js";
import { InstrumentState, Priority } from "@oicl/openbridge-webcomponents/dist/navigation-instruments/types.js";
import { AdviceType } from "@oicl/openbridge-webcomponents/dist/navigation-instruments/watch/advice.js";
import { el, setData, setText } from "../draw/dom.ts";
import { SIGN } from "../draw/signs.ts";
import { bearing, degrees, fixed, RAD, scaled, words, wrapped } from "../draw/units.ts";
import { isAcross, STEERING, steeringOf } from "../store/session.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import type { ControllerView, ThrusterFeedback, ThrusterInfo, ThrusterTruth } from "../stream/messages.ts";

const BY_PITCH = 2;
const APART_SHARE = 0.05; // of full revolutions or pitch: the feedback differs visibly from the truth
const APART_RAD = 5 * RAD;
const USES: Record<number, string> = { 1: "in use", 2: "absent", 3: "out", 4: "deviating" };

type Setpoint = ControllerView["thruster"][number];

interface Unit {
  element: HTMLElement;
  draw(truth: ThrusterTruth, feedback: ThrusterFeedback | undefined, setpoint: Setpoint | undefined, step: bigint | undefined, all: ThrusterTruth[]): void;
}

export function thrusters({ store }: Context): Panel {
  const { element, body, note } = frame("thrusters", "Thrusters");
  const grid = el("div", { class: "thrusters" });
  body.append(grid);
  let made = "";
  let units: Unit[] = [];

  function draw(): void {
    const { truth, sensors, session, dp } = store.newest;
    const states = truth?.thruster ?? [];
    const infos = session?.welcome?.thruster;
    const key = states.map((state) => state.name).join() + (infos ? "+" : "");
    if (key !== made) {
      units = states.map((state) => unit(state.name, infos?.find((info) => info.name === state.name)));
      grid.replaceChildren(...units.map((one) => one.element));
      made = key;
    }
    element.hidden = !states.length;
    setText(note, "bar: true thrust; marker: controller's set-point");
    const named = <T extends { name: string }>(list: T[] | undefined, name: string) => list?.find((one) => one.name === name);
    states.forEach((state, i) => units[i]?.draw(state, named(sensors?.thruster, state.name), named(dp?.thruster, state.name), truth?.header?.step, states));
  }

  return { element, needs: ["truth", "sensors", "session", "dp"], draw };
}

function unit(name: string, info: ThrusterInfo | undefined): Unit {
  const state = el("span", { class: "state" });
  const line = (label: string, what: string) => {
    const output = el("output", { "data-quantity": `thruster.${name}.${what}` });
    return { output, element: el("div", { class: "line" }, el("span", { class: "label" }, label), output) };
  };
  const [thrust, truly, reported, asked] = [line("thrust", "thrust"), line("true", "true"), line("feedback", "feedback"), line("set", "set")];
  const instrument = info && steeringOf(info) === STEERING.none ? fixedOf(info) : azimuthOf(info);
  const element = el("div", { class: "thruster", "data-thruster": name }, el("div", { class: "name" }, words(name)),
                     el("div", { class: `instrument ${info && steeringOf(info) === STEERING.none ? "tunnel" : ""}` }, instrument.element), state,
                     thrust.element, truly.element, reported.element, asked.element);
  return {
    element,
    draw(truth, feedback, setpoint, step, all) {
      const [what, kind] = stateOf(truth, feedback, setpoint, info);
      setText(state, `${SIGN[kind]} ${what}`);
      setData(state, "state", kind);
      setText(thrust.output, scaled(truth.thrustN, "N"));
      setText(truly.output, text(truth, info));
      setText(reported.output, feedback ? text(feedback, info) : "–");
      setText(asked.output, setpoint ? `${scaled(setpoint.thrustN, "N")}${turn(setpoint.azimuthRad, info)}` : "–");
      for (const one of [thrust, truly, reported, asked]) setData(one.output, "step", String(step ?? ""));
      instrument.draw(truth, setpoint, all);
    },
  };
}

function stateOf(truth: ThrusterTruth, feedback: ThrusterFeedback | undefined, setpoint: Setpoint | undefined,
                 info: ThrusterInfo | undefined): [string, "normal" | "caution" | "off"] {
  if (truth.emergencyStopped) return ["emergency stop", "caution"];
  if (!truth.running) return ["stopped", "off"];
  if (!truth.ready) return ["not ready", "caution"];
  const share = (one: ThrusterFeedback) => (info?.drive === BY_PITCH ? one.pitch : one.revolutionsRpm / (info?.revolutionsMaxRpm || 1));
  const isTurned = feedback && info && steeringOf(info) !== STEERING.none && Math.abs(wrapped(truth.azimuthRad - feedback.azimuthRad)) > APART_RAD;
  if (feedback && (isTurned || Math.abs(share(truth) - share(feedback)) > APART_SHARE || feedback.running !== truth.running)) return ["feedback ≠ true", "caution"];
  if (setpoint && setpoint.use > 1) return [`${USES[setpoint.use] ?? "?"} for the controller`, "caution"];
  return ["running", "normal"];
}

function text(one: ThrusterFeedback, info: ThrusterInfo | undefined): string {
  const speed = info?.drive === BY_PITCH ? `${fixed(one.pitch * 100, 0)} %` : `${fixed(one.revolutionsRpm, 0)} rpm`;
  return speed + turn(one.azimuthRad, info);
}

function turn(azimuth_rad: number, info: ThrusterInfo | undefined): string {
  const steering = info ? steeringOf(info) : STEERING.turns;
  if (steering === STEERING.none) return "";
  return steering === STEERING.rudder ? ` rudder ${degrees(azimuth_rad, 0)}°` : ` ${bearing(azimuth_rad, 0)}°`;
}

interface Instrument {
  element: HTMLElement;
  draw(truth: ThrusterTruth, setpoint: Setpoint | undefined, all: ThrusterTruth[]): void;
}

function percent(thrust_n: number, info: ThrusterInfo | undefined): number {
  return Math.max(-100, Math.min(100, (100 * thrust_n) / (info?.thrustMaxN || 1)));
}

function fixedOf(info: ThrusterInfo): Instrument {
  const element = new ObcThruster();
  element.tunnel = isAcross(info);
  element.priority = Priority.enhanced;
  return {
    element,
    draw(truth, setpoint) {
      element.thrust = percent(truth.thrustN, info);
      element.setpoint = setpoint && percent(setpoint.thrustN, info);
      element.state = truth.running ? InstrumentState.active : InstrumentState.off;
    },
  };
}

function azimuthOf(info: ThrusterInfo | undefined): Instrument {
  const element = new ObcAzimuthThruster();
  element.priority = Priority.enhanced;
  let shown = "";
  return {
    element,
    draw(truth, setpoint, all) {
      const holds = (info?.forbidden ?? []).filter((sector) => !sector.against || all.some((one) => one.name === sector.against && one.running));
      const key = holds.map((sector) => sector.fromRad).join() || "none";
      if (key !== shown) {
        element.angleAdvices = holds.map((sector) => ({
          minAngle: positive(sector.fromRad / RAD), maxAngle: positive(sector.toRad / RAD), type: AdviceType.caution, hinted: true,
        }));
        shown = key;
      }
      const hasRudder = info && steeringOf(info) === STEERING.rudder;
      element.angle = hasRudder ? 0 : truth.azimuthRad / RAD;
      element.thrust = percent(truth.thrustN, info);
      element.angleSetpoint = setpoint && (hasRudder ? 0 : setpoint.azimuthRad / RAD);
      element.thrustSetpoint = setpoint && percent(setpoint.thrustN, info);
      element.state = truth.running ? InstrumentState.active : InstrumentState.off;
    },
  };
}

function positive(degrees: number): number {
  return ((degrees % 360) + 360) % 360;
}
