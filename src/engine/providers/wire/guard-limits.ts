export interface GuardLimits {
  /** The longest time without a byte. */
  readonly stallMs: number;
  /** The longest time of a whole answer: a stream of keep-alives never stalls. */
  readonly answerMs: number;
  readonly answerBytesMax: number;
}

export const GUARD_LIMITS: GuardLimits = {
  stallMs: 120_000,
  answerMs: 3_600_000,
  // Many small deltas: the wire is some twenty times larger than the text in it.
  answerBytesMax: 192 * 1024 * 1024,
};
