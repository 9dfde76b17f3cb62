import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { uuidv7Maker } from "../../src/domains/index.ts";
import {
  type AnyFact,
  type CustomFact,
  type Fact,
  fact,
  type Json,
  type NewId,
  type SessionSpec,
  sessionStream,
} from "../../src/kernel/index.ts";
import type { NewEvent, RecordedEvent, Store } from "../../src/store/index.ts";

/** A folder for a test, removed when the test ends. */
export interface TestHome extends AsyncDisposable {
  readonly path: string;
}

export async function makeTestHome(): Promise<TestHome> {
  const path = await mkdtemp(join(tmpdir(), "nomos-store-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export const newId: NewId = uuidv7Maker({ random: () => randomBytes(10), nowMs: Date.now });

export const SPEC: SessionSpec = {
  name: "calm-otter-07",
  adapter: "demo",
  agent: "demo",
  workspace: "home",
  ground: "ground",
  cwd: "ground",
  sandbox: "off",
  scope: null,
  network: null,
  parentSessionId: null,
  depth: 0,
  file: null,
  external: null,
};

export function event(given: AnyFact, options: { readonly at?: string; readonly cause?: string } = {}): NewEvent {
  const at = options.at ?? new Date().toISOString();
  return { id: newId(), at, actor: "operator", cause: options.cause ?? null, fact: given };
}

/** A fact that no fold interprets. */
export function note(payload: Json, turnId: string | null = null): CustomFact {
  return { type: "x.note@1", data: { turnId, payload } };
}

export function opened(name: string = SPEC.name, label: string | null = null): Fact {
  return fact("session.opened@1", { spec: { ...SPEC, name }, label });
}

export function admitted(turnId: string, prompt: string): Fact {
  const bytes = Buffer.byteLength(prompt);
  return fact("turn.admitted@1", { turnId, prompt, blob: null, bytes, queued: false });
}

/** Appends after the stream's last event. */
export async function appendTo(
  store: Store,
  stream: string,
  facts: readonly AnyFact[],
  fence = 0,
): Promise<readonly RecordedEvent[]> {
  const expectedVersion = await store.version(stream);
  return store.append([{ stream, expectedVersion, events: facts.map((given) => event(given)) }], { fence });
}

/** Opens a new session's stream. */
export async function openSession(store: Store, name?: string, fence = 0): Promise<string> {
  const stream = sessionStream(newId());
  await appendTo(store, stream, [opened(name)], fence);
  return stream;
}

/** All events, page by page. */
export async function everyEvent(store: Pick<Store, "readAll">, limit = 500): Promise<readonly RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  let cursor: number | null = 0;
  while (cursor !== null) {
    const page = await store.readAll({ after: cursor, limit });
    found.push(...page.events);
    cursor = page.next;
  }
  return found;
}
