import { NomosError } from "../../contract/index.ts";

const DENIED: readonly unknown[] = ["EACCES", "EPERM", "EROFS"];

/** Whether the system keeps the caller from opening or changing a file. */
export const isDenied = (thrown: unknown): boolean => DENIED.includes(Object(thrown).code);

/** Rights on the disk that are missing are the person's matter, and no defect of ours. Anything else is thrown on. */
export function throwRefused(thrown: unknown, path: string): never {
  if (!isDenied(thrown)) throw thrown;
  throw new NomosError(
    "governance_blocked",
    { path, reason: String(Object(thrown).code) },
    {
      message: `${path} cannot be written: the system denies it.`,
      remedy: `Make it writable for yourself (\`ls -ld ${path}\` shows its rights), then try again.`,
      cause: thrown,
    },
  );
}
