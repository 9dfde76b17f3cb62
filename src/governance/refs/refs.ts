import type { Clock, RepositoryGit } from "../../host/index.ts";
import { createLocalRefs, type LocalRefs } from "./local-refs.ts";
import { createRefDocuments, type RefDocuments } from "./ref-documents.ts";
import { createRemoteRefs, type RemoteRefs } from "./remote-refs.ts";

/** The refs under `refs/nomos/`: statuses and evidence as documents; leases stand on the other two. */
export interface Refs {
  readonly documents: RefDocuments;
  readonly local: LocalRefs;
  readonly remote: RemoteRefs;
}

export interface RefsOptions {
  readonly git: RepositoryGit;
  readonly clock: Pick<Clock, "nowMs" | "sleep">;
  /** Of the person: what git needs to reach a remote as they do. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For each command that asks a remote. */
  readonly remoteTimeoutMs?: number;
}

export function createRefs({ git, clock, environment, remoteTimeoutMs }: RefsOptions): Refs {
  const local = createLocalRefs(git, clock);
  const timeout = remoteTimeoutMs === undefined ? {} : { timeoutMs: remoteTimeoutMs };
  const remote = createRemoteRefs({ environment, local, ...timeout });
  return { local, remote, documents: createRefDocuments(local, remote) };
}
