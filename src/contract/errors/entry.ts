/** One error code: its message, its remedy, the HTTP status and the exit code of the command line. */
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
