// The bar at the top: what runs, its state, the simulated time, whether data arrive, and the palettes.
import { el, press, setData, setText, toggle } from "../draw/dom.ts";
import { PALETTES } from "../draw/palette.ts";
import { SIGN } from "../draw/signs.ts";
import { clock, fixed, wallClock } from "../draw/units.ts";
import { timeOf } from "../stream/headed.ts";
import { endOf, hasFailed } from "../store/session.ts";
import type { Context, Panel } from "./panel.ts";

const MODES = ["", "real time", "lockstep", "fast"];
const RUNS = ["", "running", "paused", "halted", "waiting for the controller", "simulation fault"];
const COMMANDS = ["", "command: none", "command: standby", "command: live", "command: old", "command: lost"];
const HALTED = 3;
const FAULT = 5;
const HELD = 4;
const LOST = 5;

export function header({ store, settings }: Context): Panel {
  const element = el("header", { class: "top" });
  const name = el("span", { class: "case", "data-role": "case" });
  const mode = el("span", { class: "mode" });
  const time = el("output", { class: "clock", "data-quantity": "time_s" });
  const run = el("span", { class: "state pill", "data-role": "run" });
  const command = el("span", { class: "state pill", "data-role": "command" });
  const source = el("span", { class: "state pill", "data-role": "source" });
  const notice = el("span", { class: "notice" });
  const palettes = el("span", { class: "controls" });
  const buttons = PALETTES.map((palette) => toggle(palette, `Palette ${palette}`, () => settings.set("palette", palette)));
  palettes.append(...buttons);
  element.append(el("h1", {}, "Sagbend"), name, mode, time, run, command, source,
                 notice, palettes);

  function draw(): void {
    const { status, session, end, truth } = store.newest;
    setData(document.documentElement, "old", String(store.isOld()));
    buttons.forEach((button, i) => press(button, PALETTES[i] === settings.values.palette));
    setText(notice, store.operator?.is_operator ? "Not for navigation; this page operates." : "Not for navigation; observes only.");
    setText(name, session?.welcome?.name ?? status?.name ?? "");
    const rate = status?.rate ? `, rate ${fixed(status.rate, 1)}` : "";
    setText(mode, status ? `${MODES[status.mode] ?? ""}${rate}` : "");
    setText(time, clock(store.newest.sensors || truth ? Math.max(timeOf(truth), timeOf(store.newest.sensors)) : undefined));

    const state = status?.station?.state ?? 0;
    const isFault = state === FAULT || !!truth?.fault;
    const words = end ? `session ${endOf(end)}` : isFault ? "simulation fault" : (status?.pause?.why ? `${RUNS[state]}: ${status.pause.why}` : RUNS[state]) || "–";
    pill(run, words, end ? (hasFailed(end) ? "alarm" : "off") : !state && !isFault ? "off" : isFault || state === HALTED ? "alarm" : state === 1 ? "normal" : "caution");
    const used = status?.station?.commandState ?? store.newest.sensors?.commandState ?? 0;
    if (end) pill(command, "no command: ended", "off");
    else pill(command, COMMANDS[used] || "–", used === LOST ? "alarm" : used === HELD ? "caution" : used === 3 ? "normal" : "off");
    const [what, kind] = sourceWords();
    pill(source, what, kind);
  }

  function sourceWords(): [string, Kind] {
    if (store.link !== "open") return [`no connection to sagbend-view${since(store.closedAt)}`, store.newest.end ? "off" : "alarm"];
    if (store.kind === "log") return ["log", "normal"];
    const state = store.source;
    if (!state) return ["connecting", "off"];
    if (state.state === "no_data") return [`no data since ${wallClock(state.since_ms)}`, store.newest.end ? "off" : "alarm"];
    const lost = state.unreadable + store.unreadable;
    return lost ? [`live, ${lost} messages unreadable`, "caution"] : ["live", "normal"];
  }

  return { element, needs: ["sensors", "truth", "status", "session", "end", "link", "source", "operator", "settings"], draw };
}

type Kind = "normal" | "caution" | "alarm" | "off";

function pill(element: HTMLElement, words: string, kind: Kind): void {
  setText(element, `${SIGN[kind]} ${words}`);
  setData(element, "state", kind);
}

function since(time: number | undefined): string {
  return time === undefined ? "" : ` since ${new Date(time).toLocaleTimeString("en-GB")}`;
}
