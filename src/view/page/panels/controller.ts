// What the DP controller believes and wants, if it publishes that: references in use, demanded and allocated wrench. Nothing of it
// is known to be true.
import { el, resize, setData, setText } from "../draw/dom.ts";
import { scaled, words } from "../draw/units.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import type { BodyWrench, ControllerView } from "../stream/messages.ts";

const USES = ["unknown", "in use", "absent", "invalid", "old", "frozen", "rejected"];
const WRENCHES = ["demanded", "allocated", "wind"] as const;
const NO_COMMAND = 1;
const AXES: readonly [string, keyof BodyWrench, string][] = [["surge", "surgeN", "N"], ["sway", "swayN", "N"], ["yaw", "yawNm", "N m"]];

export function controller({ store }: Context): Panel {
  const { element, body, note } = frame("controller", "Controller");
  const flags = el("ul", { class: "flags" });
  const instruments = el("ul", { class: "chips", "aria-label": "Instruments" });
  const wrench = el("tbody");
  const head = el("tr", {}, el("th"), ...WRENCHES.map((name) => el("th", {}, name === "wind" ? "for wind" : name)));
  head.hidden = true; // until there is a wrench
  body.append(flags, el("table", { class: "wrench" }, el("thead", {}, head), wrench), instruments);

  function draw(): void {
    const { dp, status } = store.newest;
    const inCommand = status?.peer.find((peer) => peer.inCommand);
    const isNone = (status?.station?.commandState ?? 0) <= NO_COMMAND; // a command can also come from a field bus, or from the run itself
    element.hidden = !dp && !inCommand;
    setText(note, dp?.controller || inCommand?.name || (isNone ? "none in command" : ""));
    const lines = dp ? flagsOf(dp) : [];
    resize(flags, lines.length, () => el("li", { class: "state" })).forEach((item, i) => {
      const [text, kind] = lines[i] ?? ["", "off"];
      setText(item, text);
      setData(item, "state", kind);
    });
    drawInstruments(dp?.instrument ?? []);
    head.hidden = !(dp?.demanded || dp?.allocated);
    drawWrench(dp);
  }

  /** How many are in use, and each that is not. */
  function drawInstruments(list: ControllerView["instrument"]): void {
    const used = list.filter((one) => one.use === 1);
    const lines: [string, string][] = list.filter((one) => one.use !== 1).map((one) => [`▲ ${one.name} ${USES[one.use] ?? ""}`, "caution"]);
    if (used.length) lines.unshift([`● ${used.length} of ${list.length} instruments in use`, "normal"]);
    instruments.title = used.map((one) => one.name).join(", ");
    resize(instruments, lines.length, () => el("li", { class: "state" })).forEach((item, i) => {
      const [text, kind] = lines[i] ?? ["", "off"];
      setText(item, text);
      setData(item, "state", kind);
    });
  }

  function drawWrench(dp: ControllerView | undefined): void {
    const rows = resize(wrench, dp?.demanded || dp?.allocated ? AXES.length : 0, 
                        () => el("tr", {}, el("td"), ...WRENCHES.map(() => el("td", {}, el("output")))));
    rows.forEach((row, i) => {
      const [name, field, unit] = AXES[i] ?? ["", "surgeN", ""];
      setText(row.firstElementChild as Element, name);
      const outputs = row.querySelectorAll("output");
      WRENCHES.forEach((what, k) => {
        const output = outputs[k] as HTMLOutputElement;
        setText(output, scaled(dp?.[what]?.[field], unit));
        setData(output, "quantity", `dp.${what}.${words(name)}`);
        setData(output, "step", String(dp?.header?.step ?? ""));
      });
    });
  }

  return { element, needs: ["dp", "status"], draw };
}

function flagsOf(dp: ControllerView): [string, string][] {
  const flags: [boolean, string][] = [
    [dp.deadReckoning, "▲ dead reckoning"], [dp.tensionLost, "▲ no load cell in use"], [dp.saturated, "▲ thrusters saturated"],
    [dp.powerLimited, "▲ limited by power"],
  ];
  const state: [string, string] = dp.active ? [`● ${dp.inCommand ? "in command" : "not in command"}`, dp.inCommand ? "normal" : "off"] : ["○ standby", "off"];
  return [state, ...flags.filter(([is]) => is).map(([, text]): [string, string] => [text, "caution"])];
}
