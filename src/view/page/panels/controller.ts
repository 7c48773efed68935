// The controllers: who is in command, what was asked beside what acts, what was refused; of a controller that publishes its view
// also references in use and allocation. Nothing of that view is known to be true.
import { el, resize, setData, setText } from "../draw/dom.ts";
import { SIGN } from "../draw/signs.ts";
import { clock, count, fixed, scaled, words } from "../draw/units.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import type { BodyWrench, ControllerView, ListedStatus, Status } from "../stream/messages.ts";

const USES = ["unknown", "in use", "absent", "invalid", "old", "frozen", "rejected"];
const NO_COMMAND = 1;
const LOST = 5;
const WAITING = 4; // of the station: for a controller
const AXES: readonly [string, keyof BodyWrench, string][] = [["surge", "surgeN", "N"], ["sway", "swayN", "N"], ["yaw", "yawNm", "N m"]];

/** A column of the wrenches: its heading, what its numbers are called, the wrench, and the step that it belongs to. */
interface Column {
  title: string;
  name: string;
  wrench: Partial<BodyWrench> | undefined;
  step: bigint | undefined;
}

export function controller({ store }: Context): Panel {
  const { element, body, note } = frame("controller", "Controller");
  body.tabIndex = 0; // with many refusals it is longer than its room
  body.setAttribute("role", "group");
  body.setAttribute("aria-label", "Controller");
  const flags = el("ul", { class: "flags", "aria-label": "Controllers" });
  const instruments = el("ul", { class: "chips", "aria-label": "Instruments" });
  const refusals = el("ul", { class: "flags", "aria-label": "Refusals" });
  const head = el("tr");
  const wrench = el("tbody");
  const table = el("table", { class: "wrench" }, el("thead", {}, head), wrench);
  body.append(flags, table, instruments, refusals);
  element.hidden = true; // until there is a controller

  function draw(): void {
    const { dp, status } = store.newest;
    const inCommand = status?.peer.find((peer) => peer.inCommand);
    element.hidden = !dp && !status?.peer.length && !status?.command && !Number(status?.commandsRefused ?? 0);
    if (element.hidden) return;
    const isCommanded = (status?.station?.commandState ?? 0) > NO_COMMAND; // also by a field bus, or by the run itself
    const trouble = troubleOf(store);
    setData(element, "old", String(trouble !== ""));
    setData(note, "state", trouble ? "alarm" : "off");
    setText(note, trouble ? trouble : inCommand ? `${inCommand.name} in command` : dp?.controller ?? (isCommanded ? "no connected controller in command" : "none in command"));
    const said = [...peersOf(status), ...(dp ? flagsOf(dp) : [])];
    drawList(flags, trouble ? [[`${SIGN.alarm} ${trouble}`, "alarm"], ...said.map(aged)] : said);
    drawWrench(columnsOf(store));
    drawInstruments(dp?.instrument ?? [], trouble !== "");
    drawList(refusals, refusalsOf(status));
  }

  function drawList(list: HTMLElement, lines: [string, string][]): void {
    resize(list, lines.length, () => el("li", { class: "state" })).forEach((item, i) => {
      const [text, kind] = lines[i] ?? ["", "off"];
      setText(item, text);
      setData(item, "state", kind);
    });
  }

  /** How many are in use, and each that is not. */
  function drawInstruments(list: ControllerView["instrument"], isOld: boolean): void {
    const used = list.filter((one) => one.use === 1);
    const lines: [string, string][] = list.filter((one) => one.use !== 1).map((one) => [`${SIGN.caution} ${one.name} ${USES[one.use] ?? ""}`, "caution"]);
    if (used.length) lines.unshift([`${SIGN.normal} ${used.length} of ${list.length} instruments in use`, "normal"]);
    instruments.title = used.map((one) => one.name).join(", ");
    drawList(instruments, isOld ? lines.map(aged) : lines);
  }

  function drawWrench(columns: Column[]): void {
    table.hidden = !columns.length;
    resize(head, columns.length + 1, () => el("th")).forEach((cell, i) => setText(cell, columns[i - 1]?.title ?? ""));
    resize(wrench, columns.length ? AXES.length : 0, () => el("tr", {}, el("td"))).forEach((row, i) => {
      const [axis, field, unit] = AXES[i] ?? ["", "surgeN", ""];
      resize(row, columns.length + 1, () => el("td", {}, el("output"))).forEach((cell, k) => {
        const column = columns[k - 1];
        if (!column) return setText(cell, axis);
        const output = cell.firstElementChild as HTMLOutputElement;
        setText(output, scaled(column.wrench?.[field], unit));
        setData(output, "quantity", `${column.name}.${axis}`);
        setData(output, "step", String(column.step ?? ""));
      });
    });
  }

  return { element, needs: ["dp", "status", "truth", "end"], draw };
}

/** Why what stands here is not of now: the controller has stopped, or no command of it acts any more. "": it goes on. */
export function troubleOf(store: Pick<Context["store"], "newest" | "dpSilentSince" | "standsFor_s">): string {
  const { end, status } = store.newest;
  const since = store.dpSilentSince();
  const station = status?.station;
  if (end) return "";
  if (since !== undefined) return `stopped: says nothing since ${clock(since)}`;
  if (station?.commandState === LOST) return "stopped: its command is lost";
  if (station?.state === WAITING && store.standsFor_s() > 5) return "the run waits for its answer";
  return "";
}

/** What it said is no longer a good state. */
function aged([text, kind]: [string, string]): [string, string] {
  return kind === "normal" ? [`${SIGN.off}${text.slice(SIGN.normal.length)}, old`, "off"] : [text, kind];
}

/** What was asked beside what acts: of a controller that publishes its view demand and allocation, of another one its command. */
function columnsOf(store: Context["store"]): Column[] {
  const { dp, status, truth } = store.newest;
  const step = truth?.header?.step;
  const columns: Column[] = [];
  if (dp?.demanded || dp?.allocated) {
    columns.push({ title: "demanded", name: "dp.demanded", wrench: dp.demanded, step: dp.header?.step },
                 { title: "allocated", name: "dp.allocated", wrench: dp.allocated, step: dp.header?.step },
                 { title: "for wind", name: "dp.wind", wrench: dp.wind, step: dp.header?.step });
  } else if (status?.command) {
    const { surgeN, swayN, yawNm, holdSurgeN, holdSwayN, holdYawNm, thrusters } = status.command;
    const title = Number(thrusters) ? `with ${thrusters} thrusters` : "commanded";
    columns.push({ title, name: "command", wrench: { surgeN, swayN, yawNm }, step: status.header?.step },
                 { title: "hold", name: "hold", wrench: { surgeN: holdSurgeN, swayN: holdSwayN, yawNm: holdYawNm }, step: status.header?.step });
  }
  const [own, thrust] = [truth?.appliedWrench, truth?.thrusterWrench];
  if (own || thrust) {
    const sum = (field: "surgeN" | "swayN" | "yawNm") => (own?.[field] ?? 0) + (thrust?.[field] ?? 0);
    columns.push({ title: "acts", name: "acts", wrench: { surgeN: sum("surgeN"), swayN: sum("swayN"), yawNm: sum("yawNm") }, step });
  }
  return columns;
}

/** Each connected controller, unless it is the only one and in command as it should be. */
function peersOf(status: Status | undefined): [string, string][] {
  const peers = status?.peer ?? [];
  return peers
    .filter((peer) => peers.length > 1 || peer.neverCommanded || !peer.inCommand)
    .map((peer) => peer.neverCommanded ? [`${SIGN.caution} ${peer.name} has never commanded`, "caution"]
                                       : peer.listed?.standby ? standbyOf(peer.name, peer.listed)
                                       : [`${peer.inCommand ? SIGN.normal : SIGN.off} ${peer.name} ${peer.inCommand ? "in command" : "connected"}`, peer.inCommand ? "normal" : "off"]);
}

/** One that stands by: whether it could command, what it reports of itself. */
function standbyOf(name: string, of: ListedStatus): [string, string] {
  const isReady = of.standby === "ready";
  const more = [of.why, isReady && of.differs > 0.1 ? `would command ${fixed(100 * of.differs, 0)} % else` : "", of.alarm ? `${count(of.alarms)} alarm${of.alarms > 1 ? "s" : ""}: ${of.alarm}` : ""].filter((part) => part);
  const state = isReady && more.length === 0 ? "normal" : "caution";
  return [`${SIGN[state]} ${name} stands by: ${of.standby}${more.length ? `, ${more.join("; ")}` : ""}`, state];
}

/** How many were refused for which reason, and the newest three. */
function refusalsOf(status: Status | undefined): [string, string][] {
  const all = Number(status?.commandsRefused ?? 0);
  if (!status || (!all && !status.refused.length)) return [];
  const reasons = status.refusedByReason.map((one) => `${words(one.reason)} ${count(one.count)}`).join(", ");
  const lines: [string, string][] = [[`${SIGN.caution} ${count(all)} refused${reasons ? `: ${reasons}` : ""}`, "caution"]];
  for (const one of status.refused) lines.push([`${words(one.reason)}, ${one.peer}: ${one.text}${one.count > 1n ? ` (${count(one.count)} times)` : ""}`, "off"]);
  return lines;
}

function flagsOf(dp: ControllerView): [string, string][] {
  const flags: [boolean, string][] = [
    [dp.deadReckoning, `${SIGN.caution} dead reckoning`], [dp.tensionLost, `${SIGN.caution} no load cell in use`], [dp.saturated, `${SIGN.caution} thrusters saturated`],
    [dp.powerLimited, `${SIGN.caution} limited by power`],
  ];
  const state: [string, string] = dp.active ? [`${SIGN.normal} ${dp.inCommand ? "in command" : "not in command"}`, dp.inCommand ? "normal" : "off"] : [`${SIGN.off} standby`, "off"];
  return [state, ...flags.filter(([is]) => is).map(([, text]): [string, string] => [text, "caution"])];
}
