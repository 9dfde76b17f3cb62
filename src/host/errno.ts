/** The operating system's name of a failure (`ENOENT`), or nothing when the error is not one of its own. */
export function errno(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Runs `read`; a failure of one of the named kinds is the answer "nothing there", any other is a bug and passes on. */
export function unless<T>(codes: readonly string[], read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (codes.includes(errno(error) ?? "")) return null;
    throw error;
  }
}

/** How a path can turn out not to be there, or not to be ours to see. */
export const UNREACHABLE: readonly string[] = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG"];
