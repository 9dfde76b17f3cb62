import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { answer, failing } from "../../engine/model-server/index.ts";
import { BIN, runCli } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { openStage, type Stage } from "../engine/support/scenes.ts";
import { eventsOf, newFolder, PATIENCE } from "../support/talk.ts";

vi.setConfig(PATIENCE);

let stage: Stage;
let work: string;
beforeAll(async () => {
  stage = await openStage({ engine: { stepsMax: 3 } });
  work = join(stage.home, "..", "run-flags");
  await mkdir(work, { recursive: true });
});
afterAll(() => stage[Symbol.asyncDispose]());

const nomos = (args: readonly string[], input?: string, cwd = work) =>
  runCli(["run", ...args], { home: stage.home, cwd, ...(input === undefined ? {} : { input }) });

const SCHEMA = { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false };

proves("RUN-1", "--json says one value: the answer, the session, and the names that other hosts use", async () => {
  const { model, queue } = stage.scene();
  queue(answer("It is 42."));
  const ran = await nomos(["--json", "-a", "nomos", "--model", model, "what is it?"]);
  const value = ran.json<Record<string, unknown>>();
  expect(value).toMatchObject({
    ...{ outcome: "completed", response: "It is 42.", error: null, exitCode: 0 },
    ...{ agent_id: "nomos", phase_reached: "execute", evaluation_passed: true, exit_code: 0 },
  });
  expect(value["session_id"]).toBe(value["id"]);
  expect(value["duration_ms"]).toBeGreaterThan(0);
  expect(ran.exitCode).toBe(0);
});

proves(
  "RUN-2",
  "--schema: the model is given it, a wrong answer is asked for again, a right one is the value",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer("I think it is four."), answer('```json\n{"n": 4}\n```'));
    const file = join(work, "schema.json");
    // Longer than any other option may be.
    await writeFile(file, JSON.stringify({ ...SCHEMA, description: "x".repeat(30_000) }));
    const ran = await nomos(["-q", "-a", "nomos", "--model", model, "--schema", file, "two and two?"]);
    expect(ran).toMatchObject({ exitCode: 0, stdout: '{"n":4}\n' });
    expect(ran.stderr).toContain("The answer does not fit the schema: the answer is no JSON. Asking again (2 of 3).");
    expect(JSON.stringify(requests()[0]?.body)).toContain('"json_schema"');
    expect(JSON.stringify(requests()[1]?.body)).toContain("Your answer does not fit the JSON schema");
  },
);

proves(
  "RUN-2",
  "a schema that is never met ends with a code of its own; afterwards the session answers freely",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer('{"n":"four"}'), answer('{"m":4}'), answer("[]"), answer("Free."));
    const args = ["--json", "-a", "nomos", "--model", model, "--schema", JSON.stringify(SCHEMA), "two and two?"];
    const ran = await nomos(args);
    expect(ran.exitCode).toBe(13);
    const { id, error, evaluation_passed } = ran.json<Record<string, unknown>>();
    expect(error).toEqual({
      code: "schema_unmet",
      message: "The answer does not fit the schema: $ is array, not object.",
    });
    expect(evaluation_passed).toBe(false);
    expect(requests()).toHaveLength(3);
    expect((await nomos(["-q", "-s", String(id), "and now?"])).stdout).toBe("Free.\n");
    expect(JSON.stringify(requests()[3]?.body)).not.toContain('"json_schema"');
  },
);

proves("RUN-2", "a session with a schema of its own has it again afterwards", async () => {
  const { model, queue, requests } = stage.scene();
  queue(answer('{"own":1}'), answer('{"n":1}'), answer('{"own":2}'));
  const own = JSON.stringify({ type: "object", properties: { own: { type: "integer" } } });
  const started = await stage.daemon().call("POST", "/sessions/agent", {
    ...{ adapter: "nomos", model, cwd: work, prompt: "one", options: { schema: own } },
  });
  const { id } = started.body as { readonly id: string };
  await stage.daemon().call("GET", `/sessions/${id}/wait`);
  expect((await nomos(["-q", "-s", id, "--schema", JSON.stringify(SCHEMA), "two"])).stdout).toBe('{"n":1}\n');
  await nomos(["-q", "-s", id, "three"]);
  expect(requests().map(({ body }) => JSON.stringify(body).includes('"own"'))).toEqual([true, false, true]);
});

proves(
  "RUN-2",
  "an agent without schemas reads it in the prompt; bad schemas are refused before anything runs",
  async () => {
    const schema = JSON.stringify(SCHEMA);
    expect(await nomos(["-q", "-a", "demo", "--schema", schema, 'say {"n": 1}'])).toMatchObject({
      exitCode: 0,
      stdout: '{"n":1}\n',
    });
    // A value that is no object stands alone on the last line.
    expect(await nomos(["-q", "-a", "demo", "--schema", '{"type":"integer"}', "say 7"])).toMatchObject({
      stdout: "7\n",
    });
    for (const [given, message] of [
      ["{no json", "--schema is no valid JSON."],
      ['{"type":"bogus"}', "--schema: `type` of the schema is not one of object"],
      ["missing.json", "--schema cannot be read: ENOENT"],
      [`{"description":"${"x".repeat(70_000)}"}`, "at most 65536 are allowed"],
    ] as const) {
      const refused = await nomos(["--schema", given, "say x"]);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain(message);
    }
    const long = await stage.daemon().call("POST", "/sessions/agent", {
      ...{ adapter: "nomos", model: "demo/script", cwd: work, options: { other: "x".repeat(501) } },
    });
    expect(long.status).toBe(400);
  },
);

proves(
  "RUN-3",
  "--exit-code: refused, over budget, key rejected and interrupted have codes; without it they are 1",
  async () => {
    const { model, queue } = stage.scene();
    const ask = (...more: readonly string[]) => nomos(["-q", "-a", "nomos", "--model", model, ...more, "go"]);
    queue(answer("", { stop: "refused" }), answer("", { stop: "refused" }));
    expect(await ask("--exit-code")).toMatchObject({ exitCode: 10 });
    expect(await ask()).toMatchObject({ exitCode: 1 });
    queue(failing(401, "wrong key"));
    expect(await ask("--exit-code")).toMatchObject({ exitCode: 3 });
    const loop = ["run true", "run true", "run true", "run true", "run true", "say never"].join("\n");
    const steps = await nomos(["-q", "--exit-code", "-a", "nomos", "--model", "demo/script", loop]);
    expect(steps.exitCode).toBe(11);
    expect(steps.stderr).toMatch(/\[error\] .*step/);
  },
);

proves("RUN-3", "--timeout interrupts the turn and has a code of its own", async () => {
  const late = await nomos(["--timeout", "500ms", "--json", "-a", "demo", "sleep 60000"]);
  expect(late.exitCode).toBe(12);
  const value = late.json<{ readonly id: string; readonly outcome: string }>();
  expect(value.outcome).toBe("interrupted");
  expect(await eventsOf(stage.daemon(), value.id, "types=turn.interrupt_requested@1")).toHaveLength(1);
  expect(await nomos(["--timeout", "soon", "say x"])).toMatchObject({ exitCode: 2 });
});

proves(
  "RUN-4",
  "--context-file: files and standard input stand before the prompt between marks; an empty one is refused",
  async () => {
    await writeFile(join(work, "notes.md"), "say from the file\n");
    const both = await nomos(
      ["-q", "-a", "demo", "--context-file", "notes.md", "--context-file", "-", "say x"],
      "say piped\n",
    );
    expect(both.stdout).toBe(
      "--- Context (notes.md) ---\nfrom the file\n--- End Context ---\n--- Context (stdin) ---\npiped\n--- End Context ---\nx\n",
    );
    for (const [args, message] of [
      [["--context-file", "-", "say x"], "--context-file is empty"],
      [["--context-file", "none.md", "say x"], "--context-file cannot be read"],
      [["--context-file", "-", "-"], "Standard input can only be read once"],
    ] as const) {
      const refused = await nomos(args, "");
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain(message);
    }
  },
);

proves("RUN-4", "an endless standard input is refused after a megabyte, without being read", async () => {
  for (const args of [
    ["run", "say x"],
    ["run", "--context-file", "-", "say x"],
    ["run", "-"],
  ]) {
    const env = { ...process.env, NOMOS_HOME: stage.home };
    const child = spawn(process.execPath, [BIN, ...args], { cwd: work, env, stdio: ["pipe", "ignore", "pipe"] });
    const piece = Buffer.alloc(65_536, 0x61);
    let written = 0;
    child.stdin.on("error", () => undefined);
    const feed = (): void => {
      while (child.exitCode === null && child.stdin.writable) {
        written += piece.length;
        if (!child.stdin.write(piece)) return void child.stdin.once("drain", feed);
      }
    };
    feed();
    let said = "";
    child.stderr.on("data", (part) => {
      said += String(part);
    });
    const [exitCode] = await once(child, "exit");
    expect(exitCode).toBe(2);
    expect(said).toContain("Standard input is larger than 1048576 bytes");
    expect(written).toBeLessThan(8_000_000);
  }
});

proves("RUN-5", "-c goes on in the directory that -C names; steering says one sentence", async () => {
  const [here, there] = [await newFolder(), await newFolder()];
  const { id } = (await nomos(["--json", "-a", "demo", "say one"], undefined, there)).json<{ readonly id: string }>();
  await nomos(["-q", "-a", "demo", "say other"], undefined, here);
  const again = (await nomos(["--json", "-c", "-C", there, "say two"], undefined, here)).json<{
    readonly id: string;
  }>();
  expect(again.id).toBe(id);
  const started = await nomos(
    ["--json", "-d", "-a", "nomos", "--model", "demo/script", "run sleep 20"],
    undefined,
    here,
  );
  const busy = started.json<{ readonly id: string; readonly name: string }>();
  const steered = await runCli(["steer", busy.name, "say now"], { home: stage.home, cwd: here });
  expect(steered.stdout).toBe(
    `The running turn of ${busy.name} takes it up with its next step.\nNext: nomos logs -f ${busy.name}\n`,
  );
  await stage.daemon().call("POST", `/sessions/${busy.id}/kill`);
});
