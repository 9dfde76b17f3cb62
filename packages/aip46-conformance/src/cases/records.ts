import { isAbsolute } from "node:path";
import type { SessionRecord } from "../bench/bench.ts";
import { codeIn, eventually, expect, member, pause } from "../expect.ts";
import type { Case } from "./case.ts";
import { isError, type Trial } from "./trial.ts";

const STATUSES = ["starting", "running", "exited", "killed", "error"];
const REQUIRED = ["id", "adapterSlug", "workspaceSlug", "ground", "cwd", "status", "startedAt"] as const;
const WATCHED_MS = 300;
const SKEW_MAX_MS = 300_000;

/** The record, the list, and spawns that are refused or fail. */
export const recordCases: readonly Case[] = [
  {
    number: 1,
    title: "GET /sessions answers with a list",
    run: async ({ call }) => {
      const { status, body } = await call("GET", "/sessions");
      expect(status === 200, `answered with ${status}`);
      expect(Array.isArray(member(body, "sessions")), "`sessions` is no list");
    },
  },
  {
    number: 2,
    title: "a spawn answers 201 with the seven required members",
    run: async ({ spawn }) => {
      const session = await spawn();
      for (const name of REQUIRED) expect(typeof session[name] === "string" && session[name] !== "", `no ${name}`);
      expect(["starting", "running"].includes(session.status), `status is ${session.status}`);
      expect(session.ground.startsWith("ws://workspaces/"), `ground is ${session.ground}`);
      expect(isAbsolute(session.cwd), `cwd is ${session.cwd}`);
      expect(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(session.startedAt), `startedAt is ${session.startedAt}`);
      expect(Math.abs(Date.now() - Date.parse(session.startedAt)) < SKEW_MAX_MS, "startedAt is not now");
    },
  },
  {
    number: 3,
    title: "it becomes running, without endedAt, and never has a sixth status",
    run: async ({ spawn, status, show, prompt, bench, post }) => {
      const { id } = await spawn();
      const running = await status(id, "running");
      expect(running.endedAt === undefined, "a running session has endedAt");
      await prompt(id, bench.prompts.work());
      for (const untilMs = Date.now() + WATCHED_MS; Date.now() < untilMs; await pause(10)) {
        const now = await show(id);
        expect(STATUSES.includes(now.status), `status is ${now.status}`);
      }
      await post(`/sessions/${id}/interrupt`);
      expect((await show(id)).status === "running", "an interrupt is no transition");
    },
  },
  {
    number: 4,
    title: "a spawn without an adapter is 400 and leaves nothing behind",
    run: (trial) => leavesNothing(trial, async () => isError(await trial.trySpawn({}), 400)),
  },
  {
    number: 5,
    title: "an unknown adapter is 404 or 501, one that is not installed 501 with the command; nothing is left behind",
    run: (trial) =>
      leavesNothing(trial, async () => {
        const { spawnBody, uninstalled } = trial.bench;
        const unknown = await trial.trySpawn({ ...spawnBody, adapter: "no-such-adapter-here" });
        isError(unknown, 404, 501);
        expect(unknown.status === 404 || namesCommand(unknown.body), "501 without a command to install one");
        if (uninstalled === null) return;
        const missing = await trial.trySpawn({ ...spawnBody, adapter: uninstalled });
        isError(missing, 501);
        expect(namesCommand(missing.body), `${uninstalled} is refused without the command that installs it`);
      }),
  },
  {
    number: 6,
    title: "an agent that dies before it is ready leaves a session in error, with its last words",
    needs: ["stillborn"],
    run: async ({ bench, adopt, status, output, unique }) => {
      const word = unique("last-words");
      const id = adopt((await bench.stillborn?.(word)) ?? "");
      const session = await status(id, "error");
      expect(session.endedAt !== undefined, "it has no endedAt");
      expect(
        (await output(id)).some((line) => line.includes(word)),
        "its stderr is not in its output",
      );
    },
  },
  {
    number: 17,
    title: "an agent that ends by itself leaves exited, with its exit code",
    needs: ["leaving"],
    run: async ({ bench, adopt, status }) => {
      for (const code of [0, 3]) {
        const id = adopt((await bench.leaving?.(code)) ?? "");
        const session: SessionRecord = await status(id, "exited");
        expect(session.exitCode === code, `exitCode is ${session.exitCode} instead of ${code}`);
        expect(session.endedAt !== undefined, "it has no endedAt");
      }
    },
  },
  {
    number: 18,
    title: "DELETE ends a live session and forgets it",
    run: async ({ spawn, call, list, bench, prompt }) => {
      const { id } = await spawn();
      await prompt(id, bench.prompts.work());
      const first = await call("DELETE", `/sessions/${id}`);
      expect(first.status === 200 && member(first.body, "ok") === true, `answered with ${first.status}`);
      expect(member(first.body, "id") === id, "the answer has no id");
      expect((await call("GET", `/sessions/${id}`)).status === 404, "it can still be read");
      expect(!(await list()).some((session) => session.id === id), "it is still in the list");
      const second = await call("DELETE", `/sessions/${id}`);
      const known = second.status === 404 || (second.status === 200 && member(second.body, "ok") === false);
      expect(known, `a second DELETE is answered with ${second.status}`);
    },
  },
  {
    number: 19,
    title: "a host that is stopped has killed its live sessions when it is back",
    needs: ["restart"],
    run: async ({ bench, spawn, status, show }) => {
      const { id } = await spawn();
      await status(id, "running");
      await bench.restart?.();
      const after = await show(id);
      expect(after.status === "killed", `it is ${after.status}`);
      expect(after.endedAt !== undefined, "it has no endedAt");
    },
    deviating: async ({ bench, spawn, status, show, turn }) => {
      const { id } = await spawn();
      await status(id, "running");
      await turn(id, bench.prompts.remember("amber"), "turn-end");
      await bench.restart?.();
      expect((await show(id)).status === "running", "it neither was killed nor lives");
      await turn(id, bench.prompts.recall(), "amber");
    },
  },
  {
    number: 20,
    title: "an unknown id is 404 with a JSON error on every route",
    run: async ({ call, post }) => {
      const id = "01900000-0000-7000-8000-00000000dead";
      isError(await call("GET", `/sessions/${id}`), 404);
      isError(await post(`/sessions/${id}/prompt`, { prompt: "x" }), 404);
      isError(await post(`/sessions/${id}/kill`), 404);
      isError(await call("GET", `/sessions/${id}/stream`), 404);
    },
  },
  {
    number: 21,
    title: "a prompt to a session that is over is 409, never dropped in silence",
    run: async ({ spawn, post, prompt, bench, status }) => {
      const { id } = await spawn();
      await post(`/sessions/${id}/kill`);
      await status(id, "killed");
      const answer = await prompt(id, bench.prompts.say("too late"));
      isError(answer, 409);
      expect(codeIn(answer.body) !== "session_busy", "it is said to be busy");
    },
  },
];

/** Whether the error names a command to type: a program with arguments. */
function namesCommand(body: unknown): boolean {
  const words = [member(body, "error", "message"), member(body, "error", "remedy"), member(body, "message")];
  return words.some((text) => /(?:`|: )[\w@./-]+ (?:\S+ )*(?:install|i|add)\b/.test(String(text ?? "")));
}

async function leavesNothing(trial: Trial, work: () => Promise<void>): Promise<void> {
  const before = new Set((await trial.list()).map(({ id }) => id));
  await work();
  const added = await eventually("the list", async () => trial.list());
  expect(
    added.every(({ id }) => before.has(id)),
    "a refused spawn is in the list",
  );
}
