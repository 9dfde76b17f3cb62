import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { StormAnswer, StormDaemon } from "./storm-daemon.ts";
import type { Ledger } from "./storm-ledger.ts";
import type { Random } from "./storm-random.ts";

export interface StormScene {
  readonly daemon: StormDaemon;
  readonly ledger: Ledger;
  readonly random: Random;
  /** Where sessions work, and where each effect leaves its line. */
  readonly folder: string;
  /** Sessions shared by all clients, and some of their events. */
  readonly sessions: string[];
  readonly events: Map<string, string[]>;
  /** Requests whose answer was lost: sent again, with the same key, to the next daemon. */
  readonly lost: Asked[];
  readonly isOver: () => boolean;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly key: string;
  readonly noteAnswer: (body: Readonly<Record<string, unknown>>) => void;
}

type Body = Readonly<Record<string, unknown>>;

const SESSIONS_MAX = 24;
/** Refusals that a client with random calls must expect. */
const EXPECTED = new Set([404, 409, 429, 503]);

/** A client that makes random calls until the daemon is gone, and records every answer. */
export async function playClient(scene: StormScene): Promise<void> {
  try {
    while (scene.lost.length > 0 && !scene.isOver()) await askAgain(scene);
    while (!scene.isOver()) await oneAction(scene);
  } catch (thrown) {
    if (thrown instanceof StormError) throw thrown;
    // The daemon was killed on purpose.
  }
}

/** The daemon's answer was wrong. */
class StormError extends Error {}

async function askAgain(scene: StormScene): Promise<void> {
  const asked = scene.lost.shift();
  if (asked !== undefined) await send(scene, asked);
}

async function ask(
  scene: StormScene,
  method: string,
  path: string,
  body: unknown,
  noteAnswer: (body: Body) => void,
): Promise<StormAnswer<Body>> {
  return send(scene, { method, path, body, key: randomUUID(), noteAnswer });
}

async function send(scene: StormScene, asked: Asked): Promise<StormAnswer<Body>> {
  const { method, path, body, key, noteAnswer } = asked;
  const answer = await scene.daemon.call<Body>(method, path, body, key).catch((thrown: unknown) => {
    scene.lost.push(asked);
    throw thrown;
  });
  if (answer.status === 200 || answer.status === 201) noteAnswer(answer.body);
  else if (!EXPECTED.has(answer.status))
    throw new StormError(`${method} ${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

async function oneAction(scene: StormScene): Promise<void> {
  const { random } = scene;
  const id = random.pick(scene.sessions);
  if (id === undefined || (scene.sessions.length < SESSIONS_MAX && random.chance(0.06))) return startSession(scene);
  const actions: readonly [weight: number, act: () => Promise<unknown>][] = [
    [30, () => prompt(scene, id)],
    [8, () => fork(scene, id)],
    [8, () => rewind(scene, id)],
    [8, () => writeArtifact(scene, id)],
    [8, () => addEvent(scene, id)],
    [8, () => answerQuestion(scene)],
    [10, () => readEvents(scene, id)],
    [4, () => ask(scene, "POST", `/sessions/${id}/interrupt`, {}, () => undefined)],
    [2, () => ask(scene, "POST", `/sessions/${id}/suspend`, {}, () => undefined)],
    [3, () => ask(scene, "POST", `/sessions/${id}/resume`, {}, () => undefined)],
    [2, () => ask(scene, "POST", `/sessions/${id}/label`, { label: randomUUID() }, () => undefined)],
    [1, () => end(scene, id)],
  ];
  let lot = random.below(actions.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, act] of actions) {
    lot -= weight;
    if (lot < 0) return void (await act());
  }
}

async function startSession(scene: StormScene): Promise<void> {
  const cwd = join(scene.folder, randomUUID());
  await mkdir(cwd);
  await ask(scene, "POST", "/sessions/agent", { adapter: "demo", cwd }, (body) => {
    const id = String(body["id"]);
    scene.ledger.note({ what: "session", id });
    scene.sessions.push(id);
  });
}

async function prompt(scene: StormScene, sessionId: string): Promise<void> {
  const mark = randomUUID();
  const { random, folder } = scene;
  const did = (part: number) => `echo ${mark}-${part} >> ${join(folder, "effects.log")}`;
  const script = random.pick([
    `run ${did(0)}`,
    `run ${did(0)}\nsay between\nrun ${did(1)}`,
    `run sleep 0.0${random.below(9)}; ${did(0)}; sleep 0.0${random.below(9)}`,
    `run ${did(0)}; sleep 0.${random.below(9)}`,
    `write ${mark}.txt some text\nrun ${did(0)}`,
    `say hello\nsleep ${random.below(120)}\nrun ${did(0)}`,
    `ask May I?\nrun ${did(0)}`,
    `run ${did(0)}; seq 1 3000`,
  ]);
  const body = { prompt: script, queue: true, ...(random.chance(0.1) ? { interrupt: true } : {}) };
  await ask(scene, "POST", `/sessions/${sessionId}/prompt`, body, (answer) =>
    scene.ledger.note({ what: "turn", sessionId, turnId: String(answer["turnId"]), mark }),
  );
}

async function fork(scene: StormScene, from: string): Promise<void> {
  const at = scene.random.pick(scene.events.get(from) ?? []);
  await ask(scene, "POST", `/sessions/${from}/fork`, at === undefined ? {} : { at }, (body) => {
    const { eventId } = Object(body["forkedFrom"]);
    scene.ledger.note({ what: "fork", id: String(body["id"]), from, eventId: String(eventId) });
    if (scene.sessions.length < SESSIONS_MAX) scene.sessions.push(String(body["id"]));
  });
}

async function rewind(scene: StormScene, sessionId: string): Promise<void> {
  const to = scene.random.pick(scene.events.get(sessionId) ?? []);
  if (to === undefined) return readEvents(scene, sessionId);
  await ask(scene, "POST", `/sessions/${sessionId}/rewind`, { to }, () =>
    scene.ledger.note({ what: "rewound", sessionId, to }),
  );
}

async function writeArtifact(scene: StormScene, sessionId: string): Promise<void> {
  const path = `file-${scene.random.below(4)}`;
  const content = randomUUID().repeat(1 + scene.random.below(1500));
  await ask(scene, "POST", `/sessions/${sessionId}/artifacts`, { path, content }, (body) =>
    scene.ledger.note({
      what: "artifact",
      eventId: String(body["eventId"]),
      path,
      version: Number(body["version"]),
    }),
  );
}

async function addEvent(scene: StormScene, sessionId: string): Promise<void> {
  const events = [{ type: "note", payload: randomUUID() }];
  await ask(scene, "POST", `/sessions/${sessionId}/events`, { events }, (body) => {
    for (const id of Object(body["ids"])) scene.ledger.note({ what: "event", id: String(id) });
  });
}

async function answerQuestion(scene: StormScene): Promise<void> {
  const { body } = await scene.daemon.call<{ approvals?: { id: string }[] }>("GET", "/api/approvals?status=pending");
  const approval = scene.random.pick(body.approvals ?? []);
  if (approval === undefined) return;
  const verb = scene.random.chance(0.7) ? "approve" : "reject";
  await ask(scene, "POST", `/api/approvals/${approval.id}/${verb}`, {}, (answer) =>
    scene.ledger.note({ what: "answer", approvalId: approval.id, status: String(answer["status"]) }),
  );
}

async function readEvents(scene: StormScene, sessionId: string): Promise<void> {
  const path = `/sessions/${sessionId}/events?order=desc&limit=40`;
  type Page = { readonly events?: readonly { readonly id: string; readonly seq: number; readonly hash: string }[] };
  const { body } = await scene.daemon.call<Page>("GET", path);
  for (const { id, seq, hash } of body.events ?? []) scene.ledger.note({ what: "seen", id, seq, hash });
  scene.events.set(
    sessionId,
    (body.events ?? []).map(({ id }) => id),
  );
}

async function end(scene: StormScene, id: string): Promise<void> {
  const isForgotten = scene.random.chance(0.4);
  const [method, path] = isForgotten ? ["DELETE", `/sessions/${id}`] : ["POST", `/sessions/${id}/kill`];
  await ask(scene, method, path, isForgotten ? undefined : {}, (body) => {
    if (isForgotten) scene.ledger.note({ what: "forgotten", id });
    else if (body["ok"] === true) scene.ledger.note({ what: "killed", id });
  });
  const at = scene.sessions.indexOf(id);
  if (at >= 0) scene.sessions.splice(at, 1);
}
