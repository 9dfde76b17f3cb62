import { toNomosError } from "../contract/index.ts";

/** For parts a daemon can do without, such as the tour: a failure is logged and the start continues. */
export async function unlessInTheWay<T>(
  work: Promise<T>,
  what: string,
  log: (message: string, details: object) => void,
): Promise<T | null> {
  return work.catch((thrown: unknown) => {
    log("a part of the start failed and was skipped", {
      what,
      code: toNomosError(thrown).code,
      reason: String(thrown),
    });
    return null;
  });
}

/** A full disk or quota is logged and the start continues, so that people can read, end sessions and free space. */
export async function unlessFull<T>(
  work: Promise<T>,
  log: (message: string, details: object) => void,
): Promise<T | null> {
  return work.catch((thrown: unknown) => {
    const { code, details } = toNomosError(thrown);
    if (code !== "quota_exceeded" && code !== "disk_low" && code !== "limit_reached") throw thrown;
    log("skipped a part of the start because a limit is reached or the disk is full", { code, details });
    return null;
  });
}
