import type { Examination, ExamineOptions, RestoreOptions, RestoreReport } from "../services/index.ts";

/** Work on a home without a daemon. Loaded when it is used, because a daemon's start does not need it. */
export async function examine(home: string, options: ExamineOptions): Promise<Examination> {
  const services = await import("../services/index.ts");
  return services.examine(home, options);
}

export async function restoreHome(options: RestoreOptions): Promise<RestoreReport> {
  const services = await import("../services/index.ts");
  return services.restoreHome(options);
}
