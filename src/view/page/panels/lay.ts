// The lay: what the tensioner does and by whose order, tension against what it holds, length paid out, laid pipe, rollers, utilisation of the
// code check. It shows only where pipe is laid or can be.
import { Surface } from "../draw/canvas.ts";
import { el, readout, setData, setText, type Readout } from "../draw/dom.ts";
import { colours } from "../draw/palette.ts";
import { SIGN } from "../draw/signs.ts";
import { fixed } from "../draw/units.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import type { PipeTruth, TensionerInfo, TensionerState } from "../stream/messages.ts";

const MODES = ["–", "brake", "tension", "speed"];
const SOURCES = ["–", "programme", "controller", "operator"];
const [BRAKE, TENSION, SPEED] = [1, 2, 3];
const SLIP_MPS = 0.02; // the pipe against the tracks
export function lay({ store }: Context): Panel {
  const { element, body, note } = frame("lay", "Lay");
  const state = el("div", { class: "state", "data-role": "tensioner" });
  const gauge = el("div", { class: "gauge" });
  const list = el("div", { class: "readouts" });
  body.append(state, gauge, list);
  const surface = new Surface(gauge, "tension", draw);
  const row = (label: string, unit: string, name: string) => {
    const one = readout(label, unit, name);
    list.append(one.element);
    return one;
  };
  const ordered = row("ordered", "", "tensioner_ordered");
  const force = row("tensioner force", "kN", "tensioner_force_n");
  const paidOut = row("paid out", "m", "paid_out_m");
  const speed = row("pay-out", "m/s", "payout_mps");
  const retired = row("nodes retired", "", "retired_nodes");
  const governing = row("utilisation", "", "utilisation");
  const displacement = row("local buckling, displacement-controlled", "", "displacement_controlled_utilisation");
  const fatigue = row("fatigue damage", "", "fatigue_damage");
  const standby = row("standby", "h", "fatigue_standby_h");
  const reaction = row("largest reaction", "kN", "max_reaction_n");
  const tip = row("stinger tip reaction", "kN", "stinger_tip_reaction_n");
  const clearance = row("stinger tip clearance", "m", "stinger_tip_clearance_m");
  const overbend = row("overbend strain", "%", "overbend_strain");

  function draw(): void {
    const { truth, session } = store.newest;
    const pipe = truth?.pipe;
    element.hidden = !store.isLay || !pipe;
    if (element.hidden || !pipe) return;
    const step = truth?.header?.step;
    const info = session?.welcome?.tensioner;
    drawState(pipe);
    drawGauge(surface, pipe, info);
    show(ordered, orderOf(pipe.tensioner), step);
    show(force, pipe.tensioner && fixed(pipe.tensioner.forceN * 1e-3, 1), step);
    show(paidOut, fixed(pipe.paidOutM, 2), step);
    show(speed, fixed(pipe.payoutMps, 3), step);
    show(retired, pipe.retiredNodes ? String(pipe.retiredNodes) : undefined, step);
    show(governing, pipe.codeCheck && fixed(pipe.codeCheck.governing?.utilisation, 3), step);
    show(displacement, pipe.codeCheck && fixed(pipe.codeCheck.displacementControlled?.utilisation, 3), step);
    show(fatigue, pipe.fatigue && pipe.fatigue.damage.toExponential(2), step);
    show(standby, pipe.fatigue && fixed(pipe.fatigue.standbyH, 1), step);
    show(reaction, pipe.stinger && fixed(pipe.stinger.maxReactionN * 1e-3, 1), step);
    show(tip, pipe.stinger && fixed(pipe.stinger.tipReactionN * 1e-3, 1), step);
    show(clearance, pipe.stinger && fixed(pipe.stinger.tipClearanceM, 3), step);
    show(overbend, pipe.stinger && fixed(pipe.stinger.overbendStrain * 100, 4), step);
  }

  function drawState(pipe: PipeTruth): void {
    const [text, kind] = stateOf(pipe);
    setText(state, text);
    setData(state, "state", kind);
    setText(note, pipe.tensioner ? `order of the ${SOURCES[pipe.tensioner.source] ?? "–"}` : "without orders");
  }

  return { element, needs: ["truth", "session", "settings"], draw };
}

/** Hides what does not exist in this session. */
function show(one: Readout, text: string | undefined, step: bigint | undefined): void {
  one.element.hidden = text === undefined;
  if (text !== undefined) one.set(text, step);
}

function orderOf(tensioner: TensionerState | undefined): string | undefined {
  if (!tensioner) return undefined;
  if (tensioner.ordered === TENSION) return `tension ${fixed(tensioner.orderedTensionN * 1e-3, 1)} kN`;
  if (tensioner.ordered === SPEED) return `speed ${fixed(tensioner.orderedSpeedMps, 3)} m/s`;
  return MODES[tensioner.ordered] ?? "–";
}

/** What the tensioner does, in words: pipe that moves in the brake or against the tracks slips. */
export function stateOf(pipe: PipeTruth): [string, "normal" | "caution" | "alarm" | "off"] {
  const tensioner = pipe.tensioner;
  if (!tensioner) return Math.abs(pipe.payoutMps) > 1e-6 ? [`${SIGN.normal} ${pipe.payoutMps > 0 ? "pays out" : "takes back"}`, "normal"] : [`${SIGN.off} holds`, "off"];
  const mode = MODES[tensioner.mode] ?? "–";
  if (tensioner.mode !== tensioner.ordered) return [`${SIGN.alarm} ${mode}, though ${MODES[tensioner.ordered] ?? "–"} is ordered`, "alarm"];
  const slip = tensioner.mode === SPEED ? pipe.payoutMps - tensioner.speedSetMps : tensioner.mode === BRAKE ? pipe.payoutMps : 0;
  if (Math.abs(slip) > SLIP_MPS) return [`${SIGN.caution} ${mode}: the pipe slips at ${fixed(slip, 2)} m/s`, "caution"];
  return [`${SIGN.normal} ${mode}${tensioner.mode === BRAKE ? " engaged" : ""}`, "normal"];
}

/** Tension at the grip from 0 to what the grip holds, the set-point with its dead band, and what motor and brake hold. */
function drawGauge(surface: Surface, pipe: PipeTruth, info: TensionerInfo | undefined): void {
  if (!surface.begin()) return;
  const c = colours();
  const full = Math.max(info ? Math.max(info.gripN, info.brakeN, info.motorN) : 0, pipe.hangoffTensionN * 1.1, 1);
  const [left, width, top, floor] = [8, surface.width - 16, 18, 32];
  const x = (force: number) => left + (width * Math.min(full, Math.max(0, force))) / full;
  const box = (from: number, to: number): [number, number][] => [[x(from), top], [x(to), top], [x(to), floor], [x(from), floor]];
  const set = pipe.tensioner?.tensionSetN ?? 0;
  surface.fill(box(0, pipe.hangoffTensionN), c.strong2);
  if (set && info) {
    surface.line(box(set - info.deadBandN / 2, set + info.deadBandN / 2), c.second, 1.5, [], true);
    surface.fill([[x(set), top], [x(set) - 5, top - 8], [x(set) + 5, top - 8]], c.second);
  }
  surface.line(box(0, full), c.outline, 1, [], true);
  surface.text(`tension ${fixed(pipe.hangoffTensionN * 1e-3, 1)} kN${set ? `, set-point ${fixed(set * 1e-3, 1)} kN` : ""}`, left, 6, c.text);
  if (!info) return;
  const marks: [string, number][] = [["motor", info.motorN], ["brake", info.brakeN], ["grip", info.gripN]];
  const places = new Map<number, string[]>();
  for (const [name, force] of marks) places.set(force, [...(places.get(force) ?? []), name]);
  for (const [force, names] of places) {
    surface.line([[x(force), top - 2], [x(force), floor + 3]], c.caution, 1.5);
    const align = x(force) > surface.width * 0.75 ? "right" : "center";
    surface.text(`${names.join(", ")} ${fixed(force * 1e-3, 0)}`, Math.min(x(force), surface.width - 6), floor + 10, c.muted, align);
  }
}
