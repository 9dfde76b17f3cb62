import { demoDriver, externalDriver, scriptDriver } from "../drivers/index.ts";
import type { Driver } from "../turns/index.ts";

/** The drivers that are part of Nomos; `own` is the engine's. Foreign agents have a manifest each, in src/drivers/manifests. */
export function builtInDrivers(own: Driver): readonly Driver[] {
  return [own, demoDriver(), scriptDriver(), externalDriver()];
}
