// The operator's panel: the orders of `sagbend ctl` as a menu, which follows the simulator's own lists of orders and faults
// (/orders). It is there for the browser that has taken the operator's seat, in a session in real time.
import { el, setText } from "../draw/dom.ts";
import { SIGN } from "../draw/signs.ts";
import { words } from "../draw/units.ts";
import type { Context, Panel } from "./panel.ts";

interface Parameter { name: string; help: string; is_required: boolean; low: number; high: number }
interface Menu {
  orders: { word: string; arguments: string; help: string }[];
  faults: { kind: string; target: string; help: string; parameters: Parameter[] }[];
}
const REAL_TIME = 1;
const GRAVE = ["stop", "reset", "restore"]; // asked twice

export function operate({ store, history }: Context, send: (order: string[]) => void): Panel {
  const element = el("section", { class: "operate", "data-panel": "operate", "aria-label": "Operator", hidden: "" });
  const kind = el("select", { "aria-label": "Order" });
  const fields = el("span", { class: "fields" });
  const go = el("button", { type: "submit" }, "SEND");
  const answer = el("output", { role: "status", "data-role": "answer" });
  const form = el("form", {}, el("h2", {}, "Operator"), kind, fields, go, answer);
  const names = el("datalist", { id: "operate-names" });
  element.append(form, names);
  let menu: Menu | undefined;
  let isAsking = false;
  let read: () => string[] = () => [];
  let sent: string[] = []; // the newest order of this page, to be sent again as far; empty: it has been, or none was

  kind.addEventListener("change", build);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const order = [kind.value, ...read()];
    if (GRAVE.includes(kind.value)) askFirst(`${order.join(" ")}: this ends the present session.`, order);
    else give(order);
  });

  /** Grave orders are given only after another click. */
  const what = el("p", {});
  const yes = el("button", { type: "button", "data-role": "yes" }, "Send it");
  const no = el("button", { type: "button", "data-role": "no" }, "Cancel");
  const question = el("dialog", { class: "ask", "aria-label": "Send this order?" }, what, el("div", { class: "controls" }, no, yes));
  let asked: string[] = [];
  element.append(question);
  no.addEventListener("click", () => question.close());
  yes.addEventListener("click", () => {
    question.close();
    give(asked);
  });
  function askFirst(text: string, order: string[]): void {
    asked = order;
    setText(what, text);
    question.showModal();
    no.focus();
  }

  function give(order: string[]): void {
    setText(answer, "sent …");
    sent = order;
    send(order);
  }

  /** A set-point beyond the outer watch circle is refused until somebody says that it is meant. */
  function askAgain(said: string): void {
    const order = sent;
    sent = [];
    if (!said.includes("--far") || order[0] !== "set-point" || order.includes("--far")) return;
    askFirst(`${order.join(" ")}: ${said.replace(/^setpoint: |; with --far.*/g, "")}. Move the vessel there all the same?`, [...order, "--far"]);
  }

  function ask(): void {
    if (menu || isAsking) return;
    isAsking = true;
    history.ask("orders").then((found) => {
      menu = found as Menu;
      kind.replaceChildren(...menu.orders.map((order) => el("option", { value: order.word, title: order.help }, order.word)));
      build();
    }, () => undefined).finally(() => { isAsking = false; });
  }

  /** The fields of the chosen order, from what it takes behind its word. */
  function build(): void {
    const order = menu?.orders.find((one) => one.word === kind.value);
    const takes = order?.arguments ?? "";
    kind.title = order?.help ?? "";
    fields.replaceChildren();
    if (takes.startsWith("KIND")) return buildFault();
    const options = [...takes.matchAll(/\[--([\w-]+) (\w+)\]/g)].map(([, name, unit]) => ({ name: `--${name}`, input: number(`${words(name ?? "").replaceAll("-", " ")} [${(unit ?? "").toLowerCase()}]`) }));
    if (options.length) {
      fields.append(...options.map((one) => one.input.label));
      read = () => options.flatMap(({ name, input }) => (input.value() ? [name, input.value()] : []));
      return;
    }
    const choices = takes.split("|").filter((one) => /^[a-z]/.test(one));
    if (choices.length > 1) return buildChoice(choices);
    const one = takes === "RATE" ? number("times the wall clock") : takes ? text(takes.toLowerCase()) : undefined;
    if (one) fields.append(one.label);
    read = () => (one ? [one.value()] : []);
  }

  /** "brake|tension N|speed MPS|release". */
  function buildChoice(choices: readonly string[]): void {
    const which = el("select", { "aria-label": "What to order" }, ...choices.map((one) => el("option", {}, one.split(" ")[0] ?? "")));
    const value = number("");
    const show = () => {
      const unit = choices[which.selectedIndex]?.split(" ")[1];
      value.label.hidden = !unit;
      setText(value.label.firstElementChild as Element, { N: "N", MPS: "m/s" }[unit ?? ""] ?? "");
    };
    which.addEventListener("change", show);
    fields.append(which, value.label);
    show();
    read = () => [which.value, ...(value.label.hidden ? [] : [value.value()])];
  }

  function buildFault(): void {
    const which = el("select", { "aria-label": "Kind of fault" }, ...(menu?.faults ?? []).map((one) => el("option", { value: one.kind, title: one.help }, words(one.kind))));
    const rest = el("span", { class: "fields" });
    const show = () => {
      const fault = menu?.faults[which.selectedIndex];
      if (!fault) return;
      const target = text(`target (${fault.target})`);
      target.input.setAttribute("list", names.id);
      const parameters = fault.parameters.map((one) => {
        const input = /_(instrument|thruster)$/.test(one.name) ? text(words(one.name)) : number(words(one.name));
        input.input.title = `${one.help}: ${one.low} to ${one.high}`;
        input.input.required = one.is_required;
        return { name: `--${one.name}`, input };
      });
      const [length, name] = [number("for [s]"), text("name")];
      rest.replaceChildren(...[target, ...parameters.map((one) => one.input), length, name].map((one) => one.label));
      which.title = fault.help;
      read = () => [which.value, ...[{ name: "--target", input: target }, ...parameters, { name: "--for", input: length }, { name: "--name", input: name }]
        .flatMap((one) => (one.input.value() ? [one.name, one.input.value()] : []))];
    };
    which.addEventListener("change", show);
    fields.append(which, rest);
    show();
  }

  function draw(): void {
    const { status, truth, sensors } = store.newest;
    const mine = store.operator;
    element.hidden = !mine?.is_operator || store.kind !== "live" || (status?.mode ?? 0) !== REAL_TIME;
    if (element.hidden) return;
    ask();
    if (mine?.number !== undefined) {
      setText(answer, mine.is_accepted ? `${SIGN.normal} ${mine.order}: accepted` : `${SIGN.caution} ${mine.order}: ${mine.answer}`);
      if (answer.dataset["number"] !== String(mine.number) && !mine.is_accepted && sent.length) askAgain(mine.answer ?? "");
      answer.dataset["state"] = mine.is_accepted ? "normal" : "caution";
      answer.dataset["number"] = String(mine.number);
    }
    const instruments = Object.values(sensors?.instruments ?? {}).flatMap((list) => (Array.isArray(list) ? list.map((one: { telegram?: { name: string } }) => one.telegram?.name ?? "") : []));
    const known = [...instruments, ...(truth?.thruster ?? []).map((one) => one.name), ...(truth?.bus ?? []).map((one) => one.name), ...(status?.fault ?? []).map((one) => one.name), "all"];
    if (names.dataset["known"] !== known.join()) names.replaceChildren(...known.map((name) => el("option", { value: name })));
    names.dataset["known"] = known.join();
  }

  return { element, needs: ["operator", "status", "session", "link"], draw };
}

interface Field {
  label: HTMLLabelElement;
  input: HTMLInputElement;
  value(): string;
}

function field(caption: string, attributes: Record<string, string>): Field {
  const input = el("input", { autocomplete: "off", ...attributes });
  return { label: el("label", {}, el("span", {}, caption), input), input, value: () => input.value.trim() };
}

function number(caption: string): Field {
  return field(caption, { type: "number", step: "any" });
}

function text(caption: string): Field {
  return field(caption, { type: "text", maxlength: "160" });
}
