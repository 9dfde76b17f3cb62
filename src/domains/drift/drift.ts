/** What a session changed, counted. */
export interface Changed {
  readonly files: number;
  /** Those of them that the scope allows. */
  readonly inScope: number;
  readonly filesMax: number;
  /** Changed files that the ticket's boundary forbids. */
  readonly boundaryHits: number;
  readonly linesChanged?: number;
  readonly linesMax?: number;
}

/** How far work is from what its ticket allows; every figure from 0 (not at all) to 1. */
export interface Drift {
  readonly score: number;
  /** The share of the files that is out of scope. */
  readonly scope: number;
  /** How much of the file budget is used. */
  readonly budget: number;
  /** 1: a forbidden file was changed. */
  readonly boundary: number;
  /** How much of the line budget is used. It stands beside the score and is no part of it. */
  readonly lines: number;
}

const WEIGHTS = { scope: 0.5, budget: 0.35, boundary: 0.15 } as const;

/** The score of ExoProtocol, to the last digit: history and thresholds stay comparable. */
export function driftOf(changed: Changed): Drift {
  const { files, inScope, filesMax, boundaryHits, linesChanged = 0, linesMax = 0 } = changed;
  const scope = files === 0 ? 0 : 1 - inScope / files;
  const budget = share(files, filesMax);
  const boundary = boundaryHits > 0 ? 1 : 0;
  const score = WEIGHTS.scope * scope + WEIGHTS.budget * budget + WEIGHTS.boundary * boundary;
  const lines = share(linesChanged, linesMax);
  return {
    score: rounded(Math.min(Math.max(score, 0), 1)),
    ...{ scope: rounded(scope), budget: rounded(budget), boundary, lines: rounded(lines) },
  };
}

const share = (used: number, max: number): number => (max <= 0 ? 0 : Math.min(used / max, 1));

/** Rounds the number as it is stored: 0.3625 is a little less than that, and becomes 0.362. */
const rounded = (figure: number): number => Number(figure.toFixed(3));

/** Over it work is said to drift. */
const DRIFT_HIGH = 0.7;
const DRIFT_MEDIUM = 0.3;

export interface DriftSummary {
  readonly average: number;
  readonly max: number;
  readonly low: number;
  readonly medium: number;
  readonly high: number;
}

/** Null when nothing was measured. */
export function summariseDrift(scores: readonly number[]): DriftSummary | null {
  if (scores.length === 0) return null;
  const high = scores.filter((score) => score >= DRIFT_HIGH).length;
  const low = scores.filter((score) => score < DRIFT_MEDIUM).length;
  const average = rounded(scores.reduce((sum, score) => sum + score, 0) / scores.length);
  return { average, max: Math.max(...scores), low, medium: scores.length - high - low, high };
}

/** The share of finished work whose checks passed; skipped checks prove nothing. Null when nothing was finished. */
export function passRate(checks: readonly ("passed" | "failed" | "bypassed")[]): number | null {
  return checks.length === 0 ? null : rounded(checks.filter((one) => one === "passed").length / checks.length);
}
