import { event } from "../../kernel/index.ts";

/** How often one secret was found. Its value is nowhere in a report. */
export interface FoundSecret {
  /** `vault`, or the id of a shape. */
  readonly kind: string;
  readonly fingerprint: string;
  readonly count: number;
}

/** One secret in everything that a scan looked at. */
export interface ScannedSecret extends FoundSecret {
  /** Events that hold it, and how many of them could be erased when they were looked at. */
  readonly events: number;
  readonly erasable: number;
  /** The first of them; `moreSessions` says that there are others. */
  readonly sessions: readonly string[];
  readonly moreSessions: boolean;
  readonly files: number;
}

/** One secret in one event. */
export interface ScannedPlace extends FoundSecret {
  readonly seq: number;
  readonly eventId: string;
  readonly stream: string;
  readonly type: string;
  /** A header is never erased: the chain is made of it. */
  readonly where: "data" | "blob" | "header";
  readonly erasable: boolean;
  readonly erased: boolean;
}

/** A file beside the log. Nomos does not change it: it is the person's. */
export interface ScannedFile {
  readonly path: string;
  readonly what: "archive" | "backup" | "export" | "daemon-log";
  readonly count: number;
  readonly secrets: readonly FoundSecret[];
  readonly remedy: string;
}

export interface Scanned {
  /** Null: more than one session. */
  readonly sessionId: string | null;
  readonly all: boolean;
  readonly erase: boolean;
  /** While it is locked its values are not known, and only shapes are found. */
  readonly vault: "open" | "locked";
  readonly looked: {
    readonly events: number;
    readonly blobs: number;
    readonly files: number;
    readonly bytes: number;
  };
  readonly count: number;
  readonly secrets: readonly ScannedSecret[];
  /** Distinct secrets beyond those. */
  readonly moreSecrets: number;
  readonly places: readonly ScannedPlace[];
  /** The seq after which more places are; null: these are all. */
  readonly next: number | null;
  readonly files: readonly ScannedFile[];
  readonly moreFiles: number;
  /** What hides its text: packed, in another encoding, or not to be opened. */
  readonly unread: readonly { readonly as: string; readonly count: number; readonly names: readonly string[] }[];
  readonly erased: { readonly events: number; readonly streams: number };
  /** Streams whose events could not be erased now, and why. */
  readonly left: readonly { readonly stream: string; readonly events: number; readonly code: string }[];
  /** More events hold secrets than one run erases: the next goes on. */
  readonly more: boolean;
}

export const SCAN_EVENTS = {
  /** Somebody had what is written searched for secrets, and perhaps erased. Recorded with what was found, without values. */
  "log.scanned@1": event<Scanned>(),
};
