import { demoDriver, externalDriver, scriptDriver } from "../drivers/index.ts";
import type { Driver } from "../turns/index.ts";

/** The drivers that are part of Nomos. Foreign agents have a manifest each, in src/drivers/manifests. */
export function builtInDrivers(): readonly Driver[] {
  return [demoDriver(), scriptDriver(), externalDriver()];
}
