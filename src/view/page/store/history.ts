// The past of the chosen quantities, as sagbend-view keeps it (/history): the whole of it when a quantity is chosen, a session
// begins or the connection returns, then what has been added. Of a log it is complete at once; what lies after the moment that
// is played is not shown.
import type { Store } from "./store.ts";

export interface Quantity {
  name: string;
  unit: string;
  meaning: string;
  is_here: boolean; // it has a value in this session
}

interface Answer {
  times: number[];
  values: Record<string, (number | null)[]>;
}

export const GAP_S = 10; // without values: no line is drawn across it
const MORE_MS = 500; // between questions for what has been added
const MOST_ROWS = 20000; // then the whole is asked for again, which the server has thinned
const MOST_NAMES = 8; // of a question

export class History {
  times: number[] = [];
  quantities: Quantity[] = [];
  private values = new Map<string, (number | null)[]>();
  private names: string[] = [];
  private question = 0; // counts what makes answers on their way worthless
  private isAsking = false;
  private isComplete = false; // of a log
  private timer: number | undefined;

  constructor(private readonly store: Store, readonly ask: (path: string) => Promise<unknown> = askServer) {}

  /** The quantities to keep; begins anew if they differ. */
  choose(names: readonly string[]): void {
    const wanted = [...new Set(names)];
    if (wanted.join() === this.names.join()) return;
    this.names = wanted;
    this.restart();
  }

  /** Another session, or the connection has returned. */
  restart(): void {
    this.question += 1;
    this.isAsking = this.isComplete = false;
    this.times = [];
    this.values.clear();
    this.more();
  }

  /** Asks for the list of the quantities, which grows with what the session has. */
  async list(): Promise<void> {
    try {
      this.quantities = (await this.ask("quantities")) as Quantity[];
      this.store.touch("history");
    } catch {
      // the old list holds
    }
  }

  column(name: string): readonly (number | null)[] {
    return this.values.get(name) ?? [];
  }

  /** Times and columns of the last `window_s` seconds before `end_s`, with a row of nulls in each gap. */
  last(names: readonly string[], window_s: number, end_s = Infinity): [number[], ...(number | null)[][]] {
    let to = this.times.length;
    while (to > 0 && (this.times[to - 1] ?? 0) > end_s) to--;
    const begin = (this.times[to - 1] ?? 0) - window_s;
    let from = to;
    while (from > 0 && (this.times[from - 1] ?? 0) >= begin) from--;
    const times: number[] = [];
    const columns: (number | null)[][] = names.map(() => []);
    for (let i = from; i < to; i++) {
      const [time, before] = [this.times[i] ?? 0, times.at(-1)];
      if (before !== undefined && time - before > Math.max(GAP_S, 3 * this.spacing(i))) {
        times.push((before + time) / 2);
        for (const column of columns) column.push(null);
      }
      times.push(time);
      names.forEach((name, k) => columns[k]?.push(this.column(name)[i] ?? null));
    }
    return [times, ...columns];
  }

  /** The usual distance of rows around a row: a long session has rows that are further apart than a gap. */
  private spacing(i: number): number {
    const steps = [-3, -2, -1, 1, 2, 3].map((k) => (this.times[i + k] ?? NaN) - (this.times[i + k - 1] ?? NaN)).filter((step) => step > 0);
    return Math.min(...steps, Infinity) === Infinity ? 0 : Math.min(...steps);
  }

  private more(): void {
    window.clearTimeout(this.timer);
    if (!this.isComplete) this.timer = window.setTimeout(() => this.more(), MORE_MS);
    const isShown = document.visibilityState !== "hidden";
    if (this.isAsking || this.isComplete || !this.names.length || !isShown || this.store.link !== "open") return;
    void this.fetch();
  }

  private async fetch(): Promise<void> {
    const question = this.question;
    const last = this.times.length > MOST_ROWS ? undefined : this.times.at(-1);
    const parts: Answer[] = [];
    this.isAsking = true;
    try {
      for (let i = 0; i < this.names.length; i += MOST_NAMES) {
        const names = this.names.slice(i, i + MOST_NAMES).join();
        parts.push((await this.ask(`history?names=${names}${last === undefined ? "" : `&after=${last}`}`)) as Answer);
      }
    } catch {
      parts.length = 0; // the next question may succeed
    }
    if (question !== this.question) return;
    this.isAsking = false;
    if (parts.length) this.take(parts, last === undefined);
  }

  /** Answers to more names than one question takes can differ by the newest rows. */
  private take(parts: readonly Answer[], isWhole: boolean): void {
    const count = Math.min(...parts.map((part) => part.times.length));
    if (isWhole) {
      this.times = [];
      this.values.clear();
      this.isComplete = this.store.kind === "log" && count > 0;
    }
    if (!count) return;
    this.times.push(...(parts[0]?.times ?? []).slice(0, count));
    for (const part of parts)
      for (const [name, values] of Object.entries(part.values)) {
        const column = this.values.get(name) ?? [];
        column.push(...values.slice(0, count));
        this.values.set(name, column);
      }
    this.store.touch("history");
  }
}

async function askServer(path: string): Promise<unknown> {
  const answer = await fetch(path, { cache: "no-store", headers: { "X-Sagbend": "1" } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}
