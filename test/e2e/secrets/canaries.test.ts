import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import * as z from "zod";
import { SYSCALLS } from "../../../src/syscalls/index.ts";
import { SURFACES } from "../../contract/parity/surfaces.ts";
import { betrayedBelow, newCanary, newPlainCanary } from "../../support/canaries.ts";
import { newHome, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { ENCODINGS } from "../../support/secret-encodings.ts";
import { plantDriver } from "../support/driver-file.ts";
import { readStream } from "../support/stream-reader.ts";
import { approvalsOf, ended, eventsOf, expectOk, newFolder, PATIENCE, prompt, start, turn } from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
let home = "";
const odd = newCanary();
const plain = newPlainCanary();
const ALL = [odd, plain];
/** Spelled in every way, one after another. */
const spelled = Object.values(ENCODINGS)
  .map((encode) => encode(odd.value, () => 0.3))
  .join("\n--\n");

beforeAll(async () => {
  home = await newHome();
  await mkdir(join(home, "tools"), { recursive: true, mode: 0o700 });
  const tool = `import { readFile } from "node:fs/promises";
    export default { description: "tells", run: () => readFile("told.txt", "utf8"), };`;
  await writeFile(join(home, "tools", "tell.mjs"), tool);
  daemon = await startDaemon({ home, outlivesTest: true });
  for (const [name, { value }] of Object.entries({ ODD: odd, PLAIN: plain }))
    expectOk(await daemon.call("POST", "/api/secrets", { name, value }), 201);
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** A folder with a file that holds the canaries: what an agent finds by itself. */
async function folderThatTells(): Promise<string> {
  const cwd = await newFolder();
  await writeFile(join(cwd, "told.txt"), `${spelled}\n${plain.value}\n`);
  return cwd;
}

const traceIn = (text: string): readonly string[] =>
  ALL.flatMap(({ traces }) => traces).filter((trace) => text.includes(trace));

proves(
  "LEAK-1",
  "a prompt over every surface, in every encoding: agent and log get a mark, and the caller is told",
  async () => {
    const prompted = SYSCALLS.find(({ name }) => name === "session.prompt");
    if (prompted === undefined) throw new Error("there is no session.prompt");
    for (const [name, surface] of Object.entries(SURFACES)) {
      const { id } = await start(daemon);
      await using speaker = await closing(surface(daemon, daemon.token));
      const text = `say ${plain.value}\nsay ${JSON.stringify(spelled)}`;
      const { value } = (await speaker.call(prompted, { id, prompt: text })) as { value: { redacted: unknown[] } };
      expect(value.redacted, name).toContainEqual({
        kind: "vault",
        fingerprint: expect.any(String),
        count: expect.any(Number),
      });
      await ended(daemon, id, (value as unknown as { turnId: string }).turnId);
      const events = JSON.stringify(await eventsOf(daemon, id));
      expect(events).toContain("[redacted:vault:");
      expect(traceIn(events), name).toEqual([]);
    }
  },
);

async function closing<T extends { readonly close: () => Promise<void> }>(opening: Promise<T>) {
  const one = await opening;
  return { ...one, [Symbol.asyncDispose]: one.close };
}

proves(
  "LEAK-1",
  "what an agent says, streams, asks, prints, names and throws holds no secret, whole or cut",
  async () => {
    const cwd = await folderThatTells();
    const file = await plantDriver(`
    import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
    export default async (turn) => {
      const told = readFileSync("told.txt", "utf8");
      const plain = told.trim().split("\\n").at(-1);
      for (let at = 0; at < told.length; at += 61) turn.stream(told.slice(at, at + 61));
      await turn.say(told);
      await turn.say(told, "thought");
      for (const size of [1, 2, 5]) for (let at = 0; at < plain.length; at += size) turn.stream(plain.slice(at, at + size));
      await turn.say(plain);
      await turn.event("told", { [plain]: told, deep: [[told]] });
      await turn.todo([{ text: told.slice(-900), status: "open" }]);
      await turn.artifact(plain + ".txt", told, "text/plain");
      await turn.tools.write("sub/" + plain + ".txt", told);
      await turn.tools.run("cat told.txt; cat told.txt >&2; echo " + plain + " | fold -w 3; exit 3");
      await turn.tools.run("printf %s " + plain.slice(0, 9) + "; sleep 0.1; printf %s " + plain.slice(9));
      mkdirSync("dir-" + plain); writeFileSync("dir-" + plain + "/file", told);
      console.error(told); console.log(plain);
      await turn.ask("May I use " + plain + "?", [plain]);
      throw new Error("it broke at " + told);
    };`);
    const { id } = await start(daemon, { adapter: "script", file, cwd });
    const stream = await readStream(daemon, `/sessions/${id}/stream`);
    const { turnId } = await prompt(daemon, id, "go");
    await vi.waitFor(async () => expect(await approvalsOf(daemon, id)).toHaveLength(1), { timeout: 30_000 });
    const [question] = await approvalsOf(daemon, id);
    expect(traceIn(JSON.stringify(question))).toEqual([]);
    expectOk(
      await daemon.call("POST", `/api/approvals/${question?.id}/approve`, { option: question?.options[0] ?? "" }),
    );
    expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "failed" });
    await stream.until("the end of the turn", ({ data }) => data["type"] === "turn.ended@1");
    expect(traceIn(JSON.stringify(stream.items))).toEqual([]);
    const deltas = stream.items.filter(({ event }) => event === "delta").map(({ data }) => data["text"]);
    expect(traceIn(deltas.join(""))).toEqual([]);
    expect(traceIn(JSON.stringify(await eventsOf(daemon, id)))).toEqual([]);
    // The files are the agent's work: nothing is replaced in them.
    expect(await readFile(join(cwd, "sub", `${plain.value}.txt`), "utf8")).toContain(plain.value);
  },
);

proves("LEAK-1", "what the engine's tools find reaches neither the model nor the log", async () => {
  const cwd = await folderThatTells();
  await writeFile(join(cwd, "AGENTS.md"), `Use ${plain.value} everywhere.`);
  const { id } = await start(daemon, { adapter: "nomos", model: "demo/script", cwd });
  const script = ["read", "terminal", "grep", "tell"].map(
    (tool) => `call ${tool} ${JSON.stringify(INPUTS[tool] ?? {})}`,
  );
  await turn(daemon, id, script.join("\n"));
  const events = await eventsOf(daemon, id);
  expect(events.filter(({ type }) => type === "tool.ended@1")).toHaveLength(4);
  expect(traceIn(JSON.stringify(events))).toEqual([]);
});

const INPUTS: { readonly [tool: string]: object } = {
  read: { path: "told.txt" },
  terminal: { command: "cat told.txt; rev told.txt | rev" },
  grep: { pattern: "." },
};

proves("LEAK-2", "a canary in every text of every call: refused or replaced, and in no file of the home", async () => {
  const { id } = await start(daemon);
  const external = expectOk(
    await daemon.call<{ id: string }>("POST", "/sessions/external", {
      agent: "external",
      cwd: await newFolder(),
      pid: process.pid,
    }),
    201,
  );
  for (const syscall of SYSCALLS) {
    const { name, http, input } = syscall;
    if (NOT_CALLED.test(name) || syscall.kind === "stream") continue;
    for (const session of [id, external.id])
      for (const value of [plain.value, odd.value]) {
        const filled = fill(z.toJSONSchema(input, { unrepresentable: "any" }), { id: session }, value);
        const path = http.path.replace(/:(\w+)/g, (_all, member: string) =>
          encodeURIComponent(String(filled[member] ?? value)),
        );
        const query = new URLSearchParams(
          Object.fromEntries(Object.entries(filled).map(([key, one]) => [key, String(one)])),
        );
        const isRead = http.method === "GET" || http.method === "DELETE";
        const { status } = await daemon.call(
          http.method,
          isRead ? `${path}?${query}` : path,
          isRead ? undefined : filled,
          {
            "idempotency-key": `key ${plain.value} ${name} ${session} ${value.length}`,
          },
        );
        expect(status, name).not.toBe(500);
      }
  }
  const { metrics } = expectOk(
    await daemon.call<{ metrics: string }>("GET", "/api/metrics", undefined, { accept: "application/json" }),
  );
  expect(traceIn(metrics)).toEqual([]);
  expectOk(await daemon.call("POST", "/api/backup", {}));
  expectOk(await daemon.call("POST", "/api/audit/export", {}));
  await daemon.stop();
  // Snapshots are byte-exact, private, and neither in the backup nor in the bundle, which were searched too.
  const betrayed = await betrayedBelow(home, ALL);
  expect(betrayed.filter((one) => !one.startsWith("/snapshots/"))).toEqual([]);
  daemon = await startDaemon({ home, outlivesTest: true });
  expect(expectOk(await daemon.call<{ ok: boolean }>("GET", "/api/audit/verify")).ok).toBe(true);
});

/** They end the daemon, wait, or write to a place that the caller names. */
const NOT_CALLED =
  /^(?:system\.(?:shutdown|backup|restore)|audit\.export|secret\.|session\.wait|driver\.(?:install|check))/;

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: { readonly [name: string]: Schema };
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

function fill(schema: unknown, known: Readonly<Record<string, unknown>>, canary: string): Record<string, unknown> {
  const members = Object.entries((schema as Schema).properties ?? {});
  const values = members.map(([name, one]) => [name, known[name] ?? valueFor(one, canary)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function valueFor(schema: Schema, canary: string): unknown {
  if (schema.anyOf !== undefined) return valueFor(schema.anyOf[0] ?? {}, canary);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === "string") return canary;
  if (schema.type === "array") return [valueFor(schema.items ?? {}, canary)].filter((one) => one !== undefined);
  if (schema.type === "object") return fill(schema, {}, canary);
  return undefined;
}
