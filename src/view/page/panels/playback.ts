// The player of a log: play, pause, rate, and the slider over the log's time.
import { el, press, setText, toggle } from "../draw/dom.ts";
import { clock } from "../draw/units.ts";
import type { PlaybackOrder } from "../stream/connection.ts";
import type { Context, Panel } from "./panel.ts";

const RATES = [0.5, 1, 2, 5, 10, 50];
const SEEK_MS = 100; // between orders while the slider moves

export function playback({ store }: Context, order: (order: PlaybackOrder) => void): Panel {
  const element = el("section", { class: "playback", "aria-label": "Playback", hidden: "" });
  const play = toggle("▶ play", "Play or pause", () => order({ playing: !store.playback?.playing }));
  const time = el("output", { "data-quantity": "playback_s" });
  const end = el("span");
  const slider = el("input", { type: "range", "aria-label": "Time in the log", step: "any" });
  const rates = RATES.map((rate) => toggle(`×${rate}`, `Rate ${rate}`, () => order({ rate })));
  let isHeld = false; // the viewer moves the slider
  let timer: number | undefined;
  const seek = () => {
    timer = undefined;
    order({ seek_s: Number(slider.value) });
  };
  slider.addEventListener("input", () => {
    isHeld = true;
    timer ??= window.setTimeout(seek, SEEK_MS);
  });
  slider.addEventListener("change", () => {
    isHeld = false;
    window.clearTimeout(timer);
    seek();
  });
  element.append(play, time, slider, end, ...rates);

  function draw(): void {
    const state = store.playback;
    element.hidden = !state;
    if (!state) return;
    setText(play, state.playing ? "❚❚ pause" : "▶ play");
    press(play, state.playing);
    slider.min = String(state.start_s);
    slider.max = String(state.end_s);
    if (!isHeld) slider.value = String(state.time_s);
    setText(time, clock(state.time_s));
    setText(end, clock(state.end_s));
    rates.forEach((button, i) => press(button, RATES[i] === state.rate));
  }

  return { element, needs: ["playback", "link"], draw };
}
