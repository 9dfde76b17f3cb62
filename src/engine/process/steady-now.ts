/**
 * Milliseconds since 1970, from a clock that never jumps: a wall clock that is set back would keep a breaker open for as
 * long, and give a step a negative duration.
 */
export function steadyNowMs(): number {
  return performance.timeOrigin + performance.now();
}
