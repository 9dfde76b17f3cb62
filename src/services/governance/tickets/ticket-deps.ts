import type { Committer } from "../../../commit/index.ts";
import type { FileCommits, Governed, Leases, RefDocuments, TicketReader } from "../../../governance/index.ts";
import type { Clock } from "../../../host/index.ts";
import type { Store } from "../../../store/index.ts";
import type { Proofs } from "./proofs.ts";

export interface TicketDeps {
  readonly store: Pick<Store, "rows" | "row" | "readStream">;
  readonly committer: Pick<Committer, "commit" | "change">;
  readonly clock: Clock;
  /** The governed repository of a directory; null where there is no law. */
  readonly open: (cwd: string) => Promise<Governed | null>;
  /** Why there is no law there. */
  readonly explain: (cwd: string) => Promise<Error>;
  readonly reader: TicketReader;
  readonly files: Pick<FileCommits, "commit" | "recover">;
  readonly documents: RefDocuments;
  readonly leases: Pick<Leases, "claim" | "heartbeat" | "release" | "holder" | "list" | "confirm" | "refresh">;
  readonly proofs: Proofs;
  readonly log: (message: string, details: object) => void;
}
