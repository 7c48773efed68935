// Any output quantities over simulated time, one or two in a plot, with one cursor for all plots.
import { press, toggle } from "../draw/dom.ts";
import { WINDOWS_S } from "../store/settings.ts";
import { limitOf } from "../store/session.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import { trendChoice } from "./trend_choice.ts";
import { TrendPlot, curveOf } from "./trend_plot.ts";

const USUAL = [["offset_m"], ["hangoff_tension_n"], ["max_curvature_1pm"]];
const USUAL_OF_LAY = [["offset_m"], ["hangoff_tension_n", "tensioner_set_n"], ["max_curvature_1pm"], ["payout_mps"]];
const PIPELESS = [["offset_m"], ["heading_error_deg"], ["speed_mps"]];

export function trends({ store, settings, history }: Context): Panel {
  const { element, body, controls, note } = frame("trends", "Trends");
  const buttons = WINDOWS_S.map((window_s) => {
    const button = toggle(window_s < 3600 ? `${window_s / 60} min` : `${window_s / 3600} h`, "Length of the trends", () => settings.set("window_s", window_s));
    controls.append(button);
    return button;
  });
  const choice = trendChoice(() => history.quantities, chosen, (plots) => settings.set("trends", plots));
  document.body.append(choice.element);
  body.tabIndex = 0;
  body.setAttribute("role", "group");
  body.setAttribute("aria-label", "Trends; the arrow keys move the cursor");
  body.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -50, PageDown: 50 }[event.key];
    if (by === undefined || event.target !== body) return;
    event.preventDefault();
    plots[0]?.step(event.shiftKey ? 10 * by : by);
  });
  let plots: TrendPlot[] = [];
  let madeWith = "";
  let session = "";
  const observer = new ResizeObserver(() => plots.forEach((plot) => plot.fit()));

  /** The viewer's choice, or what suits the session. */
  function chosen(): readonly (readonly string[])[] {
    if (settings.values.trends) return settings.values.trends;
    if (store.newest.session && !store.newest.session.pipe) return PIPELESS;
    if (!store.isLay) return USUAL;
    return store.newest.truth?.pipe?.codeCheck ? [...USUAL_OF_LAY, ["utilisation"]] : USUAL_OF_LAY;
  }

  function limits(name: string): (number | undefined)[] {
    const now = store.newest.session;
    if (name === "offset_m") return now?.watchCircleM ?? [];
    if (name === "hangoff_tension_n") return [(limitOf(now, "tensionN") ?? 0) * 1e-3];
    if (name === "max_moment_nm") return [(limitOf(now, "momentNm") ?? 0) * 1e-3];
    return name === "max_curvature_1pm" ? [limitOf(now, "curvature1pm")] : name.endsWith("utilisation") ? [1] : [];
  }

  function make(wanted: readonly (readonly string[])[]): void {
    for (const plot of plots) plot.destroy();
    observer.disconnect();
    const unitOf = (name: string) => history.quantities.find((one) => one.name === name)?.unit ?? "";
    plots = wanted.map((names, i) => new TrendPlot(names.map((name) => curveOf(name, unitOf(name))), () => limits(names[0] ?? ""), () => {
      void history.list();
      choice.open(i);
    }));
    body.replaceChildren(...plots.map((plot) => plot.element));
    for (const plot of plots) observer.observe(plot.element);
  }

  function draw(): void {
    const { palette, window_s } = settings.values;
    WINDOWS_S.forEach((other, i) => press(buttons[i] as HTMLButtonElement, other === window_s));
    const now = `${store.link} ${store.session()}`;
    if (session !== now && store.link === "open") {
      void history.list();
      history.restart();
    }
    session = now;
    if (!history.quantities.length) return; // the units are not known yet
    const wanted = chosen();
    history.choose(wanted.flat());
    const look = `${palette} ${JSON.stringify(wanted)}`;
    if (madeWith !== look) make(wanted);
    madeWith = look;
    const end_s = store.kind === "log" ? store.playback?.time_s : undefined;
    plots.forEach((plot, i) => plot.draw(history.last(wanted[i] ?? [], window_s, end_s)));
    note.textContent = history.times.length ? "" : "no values yet";
    choice.draw();
  }

  return { element, needs: ["history", "link", "session", "playback", "settings"], draw };
}
