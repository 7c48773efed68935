// The energy ledger: energy - initial energy = work - losses + residual.
import { el, resize, setData, setText } from "../draw/dom.ts";
import { scaled } from "../draw/units.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import type { Dissipation, PortWork } from "../stream/messages.ts";

const AT_REST = 1e-9; // turnover as a share of the energy

export function ledger({ store }: Context): Panel {
  const { element, body, note } = frame("ledger", "Energy ledger");
  body.tabIndex = 0; // with many ports and losses it is longer than its room
  const table = el("tbody");
  body.append(el("table", { class: "ledger" }, table));

  function draw(): void {
    const ledger = store.newest.ledger;
    if (!ledger) return;
    const step = String(ledger.header?.step ?? "");
    // At rest nothing is turned over, and the residual is rounding of the energy.
    const isAtRest = ledger.turnoverJ < AT_REST * Math.max(1, Math.abs(ledger.energyJ));
    setText(note, isAtRest ? "at rest" : `closure ${(ledger.maxTotalResidualJ / ledger.turnoverJ).toExponential(1)}`);
    const lines: [string, number, string, string][] = [
      ["energy", ledger.energyJ, "sum", "energy_j"],
      ["change since the start", ledger.energyJ - ledger.initialEnergyJ, "sum", "energy_change_j"],
      ["residual", ledger.totalResidualJ, "sum", "residual_j"],
      ["largest residual", ledger.maxTotalResidualJ, "", "max_residual_j"],
      ["turnover", ledger.turnoverJ, "", "turnover_j"],
      ...entries(ledger.totalWork, "work: "),
      ...entries(ledger.totalDissipation, "loss: "),
    ];
    const rows = resize(table, lines.length, () => el("tr", {}, el("td"), el("td", {}, el("output"))));
    lines.forEach(([name, value, kind, quantity], i) => {
      const row = rows[i] as HTMLElement;
      const output = row.querySelector("output") as HTMLOutputElement;
      setText(row.firstElementChild as Element, name);
      setText(output, Math.abs(value) < 1 && value !== 0 ? `${value.toExponential(2)} J` : scaled(value, "J", 4));
      setData(row, "kind", kind);
      setData(output, "quantity", quantity);
      setData(output, "step", step);
    });
  }

  return { element, needs: ["ledger"], draw };
}

/** The ports or kinds of loss that were ever open. */
function entries(work: PortWork | Dissipation | undefined, prefix: string): [string, number, string, string][] {
  if (!work) return [];
  return Object.entries(work)
    .filter(([name, value]) => name.endsWith("J") && typeof value === "number" && value !== 0)
    .map(([name, value]) => [prefix + name.slice(0, -1).replace(/[A-Z]/g, (c) => " " + c.toLowerCase()), value, "", name]);
}
