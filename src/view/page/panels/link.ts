// Energy of the link between controller and vessel: what sampling, hold, latency and losses add to the work of the controller's law, and the
// damping that they take away. docs/link-energy.md
import { el, resize, setData, setText } from "../draw/dom.ts";
import { scaled } from "../draw/units.ts";
import { frame, type Context, type Panel } from "./panel.ts";

export function link({ store }: Context): Panel {
  const { element, body, note } = frame("link", "Energy of the link");
  const table = el("tbody");
  body.append(el("table", { class: "ledger" }, table));
  body.tabIndex = 0; // in a small window it is longer than its room
  body.setAttribute("role", "group");
  body.setAttribute("aria-label", "Energy of the link");
  element.hidden = true; // until a controller outside has commanded

  function draw(): void {
    const { ledger } = store.newest;
    const energy = ledger?.link;
    element.hidden = !energy;
    if (!energy) return;
    const step = String(ledger?.header?.step ?? "");
    const [surge, sway, yaw] = [energy.dampingSurgeNspm, energy.dampingSwayNspm, energy.dampingYawNmsprad];
    const taken = [surge, sway, yaw].filter((value) => value < 0).length;
    setText(note, taken ? "below 0: it takes damping away" : "");
    const lines: [string, string, string, string][] = [
      ["work of the control law", scaled(energy.controlLawWorkJ, "J", 4), "control_law_work_j", ""],
      ["work of the link", scaled(energy.linkWorkJ, "J", 4), "link_work_j", ""],
      ["work of the drives", scaled(energy.drivesWorkJ, "J", 4), "drives_work_j", ""],
      ["sum of the three", scaled(energy.controlLawWorkJ + energy.linkWorkJ + energy.drivesWorkJ, "J", 4), "link_sum_j", "sum"],
      ["loop damping, surge", scaled(surge, "N s/m"), "loop_damping_surge_nspm", ""],
      ["loop damping, sway", scaled(sway, "N s/m"), "loop_damping_sway_nspm", ""],
      ["loop damping, yaw", scaled(yaw, "N m s/rad"), "loop_damping_yaw_nmsprad", ""],
    ];
    const rows = resize(table, lines.length, () => el("tr", {}, el("td"), el("td", {}, el("output"))));
    lines.forEach(([name, value, quantity, kind], i) => {
      const row = rows[i] as HTMLElement;
      const output = row.querySelector("output") as HTMLOutputElement;
      setText(row.firstElementChild as Element, name);
      setText(output, value);
      setData(row, "kind", kind);
      setData(output, "quantity", quantity);
      setData(output, "step", step);
    });
  }

  return { element, needs: ["ledger"], draw };
}
