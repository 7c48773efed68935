// The choice of the quantities of a plot: a dialogue with a search field over all output quantities of the session.
import { el, resize, setText } from "../draw/dom.ts";
import type { Quantity } from "../store/history.ts";

const MOST = 2; // in a plot
const SHOWN = 60; // of the list, at once

export interface Choice {
  readonly element: HTMLDialogElement;
  open(plot: number): void;
  draw(): void;
}

/** plots: what each shows; set: another choice, undefined: the page's own. */
export function trendChoice(quantities: () => readonly Quantity[], plots: () => readonly (readonly string[])[], set: (plots: string[][] | undefined) => void): Choice {
  let at = 0;
  const search = el("input", { type: "search", "aria-label": "Search the output quantities", placeholder: "tension, heading, utilisation …", autocomplete: "off", spellcheck: "false" });
  const list = el("ul", { class: "choice" });
  const found = el("p", { class: "note", role: "status" });
  const title = el("h2", { id: "trend-choice" });
  const add = button("Add a plot", () => {
    set([...plots().map((one) => [...one]), ["heading_deg"]]);
    at = plots().length - 1;
    draw();
  });
  const remove = button("Remove this plot", () => {
    set(plots().filter((_, i) => i !== at).map((one) => [...one]));
    element.close();
  });
  const usual = button("As at first", () => {
    set(undefined);
    element.close();
  });
  const element = el("dialog", { class: "trend-choice", "aria-labelledby": "trend-choice" }, title, search, found, list,
                     el("div", { class: "controls" }, add, remove, usual, button("Close", () => element.close())));
  search.addEventListener("input", draw);

  function choose(name: string, isChosen: boolean): void {
    const next = plots().map((one) => [...one]);
    const own = (next[at] ?? []).filter((one) => one !== name);
    if (isChosen) own.push(name);
    if (!own.length) return draw(); // a plot shows one at least
    next[at] = own.slice(-MOST);
    set(next);
    draw();
  }

  function draw(): void {
    if (!element.open) return;
    const chosen = plots()[at] ?? [];
    const words = search.value.toLowerCase().split(/[\s_]+/).filter(Boolean);
    const matches = quantities()
      .filter((one) => one.is_here || chosen.includes(one.name))
      .filter(({ name, unit, meaning }) => words.every((word) => `${name} ${unit} ${meaning}`.toLowerCase().includes(word)))
      .sort((a, b) => Number(chosen.includes(b.name)) - Number(chosen.includes(a.name)));
    setText(title, `Plot ${at + 1}: one or two quantities`);
    setText(found, `${matches.length} of ${quantities().filter((one) => one.is_here).length} quantities of this session`);
    const rows = resize(list, Math.min(matches.length, SHOWN), () => {
      const box = el("input", { type: "checkbox" });
      const row = el("li", {}, el("label", {}, box, el("b"), el("span")));
      box.addEventListener("change", () => choose(row.dataset["name"] ?? "", box.checked));
      return row;
    });
    rows.forEach((row, i) => {
      const one = matches[i] as Quantity;
      row.dataset["name"] = one.name;
      const [box, name, meaning] = Array.from(row.firstElementChild?.children ?? []) as [HTMLInputElement, HTMLElement, HTMLElement];
      box.checked = chosen.includes(one.name);
      setText(name, `${one.name}${one.unit ? ` [${one.unit}]` : ""}`);
      setText(meaning, one.meaning);
    });
    remove.disabled = plots().length < 2;
    add.disabled = plots().length >= 8;
  }

  return {
    element,
    draw,
    open(plot) {
      at = plot;
      search.value = "";
      element.showModal();
      draw();
      search.focus();
    },
  };
}

function button(label: string, act: () => void): HTMLButtonElement {
  const one = el("button", { type: "button" }, label);
  one.addEventListener("click", act);
  return one;
}
