import { onEvents } from "../live/index.ts";
import { linkMarkers, readFingerprintsAgain } from "../text/index.ts";
import { allSecrets } from "./all-secrets.ts";
import { navigate } from "./route.tsx";

const CHANGED = /^(?:secret\.(?:sealed|rotated|removed)|vault\.\w+)@/;

/** Markers in texts lead to the secrets that this person may see. */
export function startMarkers(): void {
  linkMarkers({
    read: async () => new Set((await allSecrets()).map(({ fingerprint }) => fingerprint)),
    go: (path) => navigate(path),
  });
  onEvents((events) => {
    if (events.some(({ type }) => CHANGED.test(type))) readFingerprintsAgain();
  });
}
