import { signal } from "@preact/signals";

/** What the frame gives: texts know neither the daemon nor the pages. */
export interface MarkerPlaces {
  /** Fingerprints of the secrets that this person may see. */
  readonly read: () => Promise<ReadonlySet<string>>;
  readonly go: (path: string) => void;
}

const NONE: ReadonlySet<string> = new Set();
const KNOWN = signal(NONE);
let places: MarkerPlaces | null = null;
let isRead = false;

export function linkMarkers(given: MarkerPlaces): void {
  places = given;
}

/** After secrets have changed. Nothing is read before a marker was shown. */
export function readFingerprintsAgain(): void {
  if (isRead) readNow();
}

export function followMarker(path: string): void {
  places?.go(path);
}

/** Read with the first marker in sight. Empty for a person who may not list secrets. */
export function ownFingerprints(): ReadonlySet<string> {
  if (!isRead) readNow();
  return KNOWN.value;
}

function readNow(): void {
  if (places === null) return;
  isRead = true;
  places.read().then(
    (found) => {
      KNOWN.value = found;
    },
    // Without a link the marker says all that this person may know.
    () => {
      KNOWN.value = NONE;
    },
  );
}
