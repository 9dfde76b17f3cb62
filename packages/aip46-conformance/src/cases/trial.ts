import type { Answer, Asked, Bench, SessionRecord } from "../bench/bench.ts";
import { codeIn, eventually, expect, member } from "../expect.ts";
import { createMcp, type Mcp } from "../wire/mcp.ts";
import { openSse, type SseReader } from "../wire/sse.ts";

/** One running case: a bench with the helper functions of the cases. Removes everything it started. */
export interface Trial {
  readonly bench: Bench;
  readonly call: Bench["call"];
  readonly spawn: (more?: Readonly<Record<string, unknown>>, token?: string) => Promise<SessionRecord>;
  readonly trySpawn: (body: Readonly<Record<string, unknown>>, token?: string | null) => Promise<Answer>;
  readonly show: (id: string) => Promise<SessionRecord>;
  readonly list: () => Promise<readonly SessionRecord[]>;
  readonly status: (id: string, status: string) => Promise<SessionRecord>;
  readonly prompt: (id: string, prompt: string, more?: object) => Promise<Answer>;
  /** Prompts the agent and waits until it has said `until`. */
  readonly turn: (id: string, prompt: string, until: string) => Promise<void>;
  readonly post: (path: string, body?: unknown, asked?: Asked) => Promise<Answer>;
  readonly stream: (id: string, headers?: Readonly<Record<string, string>>) => Promise<SseReader>;
  readonly output: (id: string, lastN?: number) => Promise<readonly string[]>;
  readonly idle: (id: string) => Promise<void>;
  readonly mcp: (token?: string | null) => Promise<Mcp>;
  /** Marks a session made by somebody else for removal at the end. */
  readonly adopt: (id: string) => string;
  readonly unique: (word: string) => string;
  readonly close: () => Promise<void>;
}

/** More than a turn of any case prints. All lines of a loud session would be megabytes, each time. */
const TURN_LINES = 10;

export function createTrial(bench: Bench): Trial {
  const made: string[] = [];
  const readers: SseReader[] = [];
  let counter = 0;
  const { call } = bench;
  const post: Trial["post"] = (path, body = {}, asked = {}) => call("POST", path, { ...asked, body });
  const opened = new Map<string | null | undefined, Promise<Mcp>>();
  const mcp: Trial["mcp"] = (token) => {
    const known = opened.get(token) ?? createMcp(bench, token);
    opened.set(token, known);
    return known;
  };
  const trySpawn: Trial["trySpawn"] = async (body, token) => {
    const answer = await post("/sessions/agent", body, token === undefined ? {} : { token });
    const id = member(answer.body, "id");
    if (answer.status === 201 && typeof id === "string") made.push(id);
    return answer;
  };
  const show: Trial["show"] = async (id) => {
    const { status, body } = await call("GET", `/sessions/${id}`);
    expect(status === 200, `GET /sessions/:id is answered with ${status}`);
    return recordIn(body);
  };
  const output: Trial["output"] = async (id, lastN = 500) => {
    const { text, value } = await (await mcp()).tool("agent_output", { sessionId: id, lastN });
    const lines = member(value, "lines");
    if (Array.isArray(lines)) return lines.map((line) => String(member(line, "line") ?? line));
    return text === "" ? [] : text.split("\n");
  };
  const prompt: Trial["prompt"] = (id, text, more = {}) => post(`/sessions/${id}/prompt`, { prompt: text, ...more });
  const idle: Trial["idle"] = async (id) => {
    await eventually(`${id} takes an interrupt as one that is idle`, async () => {
      const { body } = await post(`/sessions/${id}/interrupt`);
      return member(body, "wasBusy") === false;
    });
  };
  return {
    bench,
    call,
    post,
    mcp,
    trySpawn,
    show,
    output,
    prompt,
    idle,
    spawn: async (more = {}, token) => {
      const answer = await trySpawn({ ...bench.spawnBody, ...more }, token);
      expect(answer.status === 201, `a spawn is answered with ${answer.status}: ${answer.text.slice(0, 200)}`);
      return recordIn(answer.body);
    },
    list: async () => {
      const { status, body } = await call("GET", "/sessions?limit=1000");
      const sessions = member(body, "sessions");
      expect(status === 200 && Array.isArray(sessions), `GET /sessions is answered with ${status} and no list`);
      return sessions.map(recordIn);
    },
    status: (id, status) =>
      eventually(`${id} is ${status}`, async () => {
        const session = await show(id);
        return session.status === status ? session : null;
      }),
    turn: async (id, text, until) => {
      const answer = await prompt(id, text);
      expect(answer.status === 200, `a prompt to an idle session is answered with ${answer.status}`);
      const hasSaid = async () => (await output(id, TURN_LINES)).some((line) => line.includes(until));
      await eventually(`the agent says ${until}`, hasSaid);
      await eventually("the turn ends", async () => /turn-end/.test((await output(id, 1)).at(-1) ?? ""));
    },
    stream: async (id, headers = {}) => {
      const reader = await openSse(bench, `/sessions/${id}/stream`, headers);
      readers.push(reader);
      return reader;
    },
    adopt: (id) => {
      made.push(id);
      return id;
    },
    unique: (word) => {
      counter += 1;
      return `${word}-${Date.now().toString(36)}-${counter}`;
    },
    close: async () => {
      for (const reader of readers) reader.close();
      await Promise.all(made.map((id) => call("DELETE", `/sessions/${id}`).catch(() => null)));
    },
  };
}

/** Checks only the id; each case checks the members it is about. */
function recordIn(body: unknown): SessionRecord {
  expect(typeof body === "object" && body !== null && "id" in body, "an answer that should be a session has no id");
  return body as SessionRecord;
}

export function isError(answer: Answer, ...statuses: readonly number[]): void {
  expect(statuses.includes(answer.status), `answered with ${answer.status} instead of ${statuses.join(" or ")}`);
  expect(codeIn(answer.body) !== "", "an error without a code in a JSON body");
}
