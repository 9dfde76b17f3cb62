import { type Attachment, Session, type SessionState, sessionStream } from "../kernel/index.ts";
import { type RecordedEvent, type Store, StoreError } from "../store/index.ts";
import { DriverError, type LoadableAttachment, loadText, type Past } from "../turns/index.ts";
import { digestOf } from "./digest.ts";

/** A turn's prompt and what came with it, from the log. */
export async function inputOf(
  store: Store,
  admissionId: string,
): Promise<{ readonly prompt: string; readonly attachments: readonly LoadableAttachment[] }> {
  const admitted = admissionId === "" ? null : await store.event(admissionId);
  const data = admitted?.data ?? null;
  if (admitted === null || typeof data !== "object" || data === null || !("prompt" in data))
    throw new DriverError("driver_failed", "the prompt was erased");
  const { prompt, blob, bytes } = data;
  return {
    prompt: await loadText(store, {
      text: String(prompt),
      blob: typeof blob === "string" ? blob : null,
      bytes: Number(bytes),
    }),
    attachments: (await attachedTo(store, admitted)).map((item) => ({ ...item, load: () => bytesOf(store, item) })),
  };
}

/** They stand directly behind the admission, or there are none. */
async function attachedTo(store: Store, admitted: RecordedEvent): Promise<readonly Attachment[]> {
  const { events } = await store.readStream(admitted.stream, { after: admitted.seq, limit: 1 });
  const next = events.find(({ type, version }) => type === "turn.attached@1" && version === admitted.version + 1);
  const data = next?.data;
  if (typeof data !== "object" || data === null || !("items" in data)) return [];
  const items: unknown = data["items"];
  return Array.isArray(items) ? items : [];
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
  };
}

/** Where the parent's agent stands exactly where the fork begins, it can fork its own session too. */
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
