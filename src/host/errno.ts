/** The system's code of a failure (`ENOENT`), or undefined when the error is not a system error. */
export function errno(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Runs `read`. Returns null for an error with one of these codes; rethrows any other. */
export function unless<T>(codes: readonly string[], read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (codes.includes(errno(error) ?? "")) return null;
    throw error;
  }
}

/** Codes that mean a path does not exist or is not accessible. */
export const UNREACHABLE: readonly string[] = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG"];
