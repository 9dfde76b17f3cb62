/** Time limits for each step with an agent. The error message names the step that took too long. */
export interface StepTimes {
  readonly initializeMs: number;
  readonly authenticateMs: number;
  readonly openMs: number;
  readonly loadMs: number;
  readonly setMs: number;
  readonly cancelMs: number;
}

export const STEP_TIMES: StepTimes = {
  initializeMs: 60_000,
  authenticateMs: 60_000,
  openMs: 120_000,
  loadMs: 120_000,
  setMs: 30_000,
  cancelMs: 1200,
};
