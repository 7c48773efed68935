// The sign of a state, beside its colour and its words. Of alerts the shapes are those of IEC 62923-1: a triangle is an alarm, a circle a
// warning, a square a caution. What needs nobody has a shape of its own.
export const SIGN = { normal: "✓", caution: "■", warning: "●", alarm: "▲", off: "○" } as const;

/** A state in words, with its sign. */
export type State = [string, string];
