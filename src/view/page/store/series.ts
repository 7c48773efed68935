// Numbers over simulated time, bounded in memory: the newest value of each interval of `spacing_s`, at most `length` of them.
export const GAP_S = 10; // without values: no line is drawn across it

export class Series {
  private readonly times: number[] = [];
  private readonly values: (number | null)[][];

  constructor(
    readonly width: number,
    private readonly spacing_s: number,
    private readonly length: number,
  ) {
    this.values = Array.from({ length: width }, () => []);
  }

  /** Adds a row. A time before the last one begins anew: the player of a log went back. */
  add(time_s: number, row: readonly (number | null)[]): void {
    const last = this.times.at(-1);
    if (last !== undefined && time_s < last) this.clear();
    const slot = (time: number) => Math.floor(time / this.spacing_s);
    if (last !== undefined && time_s >= last && slot(last) === slot(time_s)) this.drop(-1);
    else if (last !== undefined && time_s - last > GAP_S) this.push((last + time_s) / 2, []);
    this.push(time_s, row);
  }

  private push(time_s: number, row: readonly (number | null)[]): void {
    this.times.push(time_s);
    this.values.forEach((column, i) => column.push(row[i] ?? null));
    if (this.times.length > this.length) this.drop(0);
  }

  clear(): void {
    this.times.length = 0;
    for (const column of this.values) column.length = 0;
  }

  /** Time and columns of the last `window_s` seconds. */
  last(window_s: number): [number[], ...(number | null)[][]] {
    const end = this.times.at(-1) ?? 0;
    let from = this.times.findIndex((time) => time >= end - window_s);
    if (from < 0) from = 0;
    return [this.times.slice(from), ...this.values.map((column) => column.slice(from))];
  }

  get size(): number {
    return this.times.length;
  }

  private drop(at: number): void {
    this.times.splice(at, 1);
    for (const column of this.values) column.splice(at, 1);
  }
}
