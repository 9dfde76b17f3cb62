import type { Driver } from "../../turns/index.ts";
import { checkManifestSettings, type Manifest } from "./manifest.ts";
import type { Resolved } from "./resolve.ts";

/** The driver's description from a manifest, for any protocol. */
export function describedBy(manifest: Manifest, resolve: () => Promise<Resolved>): Omit<Driver, "runTurn"> {
  return {
    slug: manifest.id,
    summary: manifest.description,
    continuity: manifest.continuation.default === "native-resume" ? "native" : "digest",
    check: async () => {
      await resolve();
    },
    checkSettings: (settings) => checkManifestSettings(manifest, settings),
  };
}
