// The laid pipe that has left the computation (pipe.retire), as far as the page has seen it: Truth states the last node that retired.
import type { Truth } from "../stream/messages.ts";

export type LaidPoint = readonly [number, number, number]; // north, east, down

const MAX_POINTS = 4000;

export class LaidRoute {
  points: LaidPoint[] = []; // from the first that the page has seen to the last that retired
  private numbers: number[] = []; // of each: how many had retired with it

  clear(): void {
    this.points = [];
    this.numbers = [];
  }

  /** Takes a state. Fewer nodes than before: some have returned, or the player of a log went back. */
  update(truth: Truth): void {
    const pipe = truth.pipe;
    const count = pipe?.retiredNodes ?? 0;
    while ((this.numbers.at(-1) ?? 0) > count) {
      this.numbers.pop();
      this.points.pop();
    }
    if (!pipe || count === 0 || this.numbers.at(-1) === count) return;
    this.numbers.push(count);
    this.points.push([pipe.retiredNorthM, pipe.retiredEastM, pipe.retiredDownM]);
    if (this.points.length > MAX_POINTS) this.thin();
  }

  /** Every second point goes, not the last. */
  private thin(): void {
    const stays = (_: unknown, i: number) => (this.points.length - 1 - i) % 2 === 0;
    [this.points, this.numbers] = [this.points.filter(stays), this.numbers.filter(stays)];
  }
}
