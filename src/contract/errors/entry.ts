/** Every error there is: what it says, what to do about it, its HTTP status and the CLI's exit code. */
export interface ErrorEntry {
  readonly status: number;
  readonly exit: ExitCode;
  readonly message: string;
  readonly remedy: string;
}

/** 1 failed, 2 usage, 3 denied, 4 not found, 5 conflict, 6 unavailable. */
export type ExitCode = 1 | 2 | 3 | 4 | 5 | 6;

export const entry = (status: number, exit: ExitCode, message: string, remedy: string): ErrorEntry => ({
  status,
  exit,
  message,
  remedy,
});
