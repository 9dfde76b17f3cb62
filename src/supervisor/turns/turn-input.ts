import { createHash } from "node:crypto";
import {
  type Attachment,
  dataIn,
  SESSION_EVENTS,
  Session,
  type SessionState,
  sessionStream,
} from "../../kernel/index.ts";
import { type RecordedEvent, type Store, StoreError } from "../../store/index.ts";
import { DriverError, type LoadableAttachment, loadText, type Past } from "../../turns/index.ts";
import { digestOf } from "./digest.ts";
import { branchOf, historyOf } from "./turn-history.ts";

/** A turn's prompt and attachments, read from the log. */
export async function inputOf(
  store: Store,
  admissionId: string,
): Promise<{ readonly prompt: string; readonly attachments: readonly LoadableAttachment[] }> {
  const admitted = admissionId === "" ? null : await store.event(admissionId);
  const asked = admitted === null ? null : dataIn(SESSION_EVENTS, [admitted], "turn.admitted@1");
  if (admitted === null || asked === null) throw new DriverError("driver_failed", "the prompt was erased");
  const { prompt: text, blob, bytes } = asked;
  return {
    prompt: await loadText(store, { text, blob, bytes }),
    attachments: (await attachedTo(store, admitted)).map((item) => ({ ...item, load: () => bytesOf(store, item) })),
  };
}

/** Attachments follow directly after the admission. */
async function attachedTo(store: Store, admitted: RecordedEvent): Promise<readonly Attachment[]> {
  const { events } = await store.readStream(admitted.stream, { after: admitted.seq, limit: 1 });
  const next = events.filter(({ version }) => version === admitted.version + 1);
  return dataIn(SESSION_EVENTS, next, "turn.attached@1")?.items ?? [];
}

async function bytesOf(store: Store, { blob, name }: Attachment): Promise<Uint8Array> {
  const bytes = blob === null ? null : await store.blob(blob);
  if (bytes === null) throw new StoreError("blob_missing", { name, blob });
  return bytes;
}

export async function pastOf(store: Store, state: SessionState): Promise<Past> {
  return {
    nativeId: state.driver?.nativeId ?? null,
    forkOf: await forkOf(store, state),
    isEmpty: state.turnsEnded === 0 && state.forkedFrom === null,
    digest: () => digestOf(store, state),
    history: (after) => historyOf(store, state, after),
    branch: (from) => branchOf(store, state, from),
    pathKey: createHash("sha256").update(JSON.stringify(state.view.path)).digest("base64"),
    costTold: async () => (await costIn(store, state.stream)) ?? (await costIn(store, state.forkedFrom?.stream)) ?? 0,
  };
}

async function costIn(store: Store, stream: string | undefined): Promise<number | null> {
  if (stream === undefined) return null;
  const { events } = await store.readStream(stream, { descending: true, limit: 1, types: ["usage.reported@1"] });
  return dataIn(SESSION_EVENTS, events, "usage.reported@1")?.cost?.amount ?? null;
}

/** If the parent's agent is exactly at the fork's point, the agent can fork its native session too. */
async function forkOf(store: Store, { forkedFrom, driver }: SessionState): Promise<string | null> {
  if (forkedFrom === null || driver?.nativeId != null) return null;
  const { sessionId } = forkedFrom;
  if (forkedFrom.stream !== sessionStream(sessionId)) return null;
  const then = await store.fold(Session, sessionId, forkedFrom.version);
  const now = await store.fold(Session, sessionId);
  if (now.phase.at === "busy") return null;
  const nativeId = then.driver?.nativeId ?? null;
  const unchanged = then.turnsEnded === now.turnsEnded && now.driver?.nativeId === nativeId;
  return unchanged ? nativeId : null;
}
