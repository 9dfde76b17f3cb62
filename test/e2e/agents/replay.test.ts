import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import type { TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { startWithAgents } from "../support/fake-agents.ts";
import { ended, eventsOf, expectOk, newFolder, PATIENCE, pendingOf, prompt, start, turn } from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startWithAgents({ fake: [] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

interface Judged {
  readonly title: string;
  readonly verb: string;
  readonly rules: readonly string[];
  readonly was: string;
  readonly eventId: string;
}
interface Replay {
  readonly diverged: boolean;
  readonly turns: readonly { readonly kind: string; readonly is: string }[];
  readonly judged: number;
  readonly refused: readonly Judged[];
  readonly asked: readonly Judged[];
}

const rule = (effect: string, verb: string, resource: string) => ({ id: `${effect} ${verb}`, effect, verb, resource });
const replay = async (id: string, rules: readonly object[]): Promise<Replay> =>
  expectOk(await daemon.call<Replay>("POST", `/sessions/${id}/replay`, { policy: { rules } }));

proves("REP-5", "a foreign agent's session is judged again by another policy, without the agent", async () => {
  const cwd = await newFolder();
  await mkdir(join(cwd, "src"));
  const { id } = await start(daemon, { adapter: "fake", cwd });
  expect(await turn(daemon, id, "write notes.txt hello\nwrite src/a.ts x")).toMatchObject({ outcome: "completed" });
  const { turnId } = await prompt(daemon, id, "ask make clean");
  const { id: approval } = await pendingOf(daemon, id);
  expectOk(await daemon.call("POST", `/api/approvals/${approval}/approve`, {}));
  await ended(daemon, id, turnId);
  const before = { files: await readdir(cwd), events: (await eventsOf(daemon, id)).length };
  const rules = [
    rule("deny", "agent.edit", "session/*/path/src/**"),
    rule("allow", "agent.edit", "session/*/path/*"),
    rule("deny", "agent.execute", "session/*/command/make*"),
  ];
  const { refused, asked, turns, diverged } = await replay(id, rules);
  expect(diverged).toBe(false);
  expect(turns.map(({ kind, is }) => `${kind} ${is}`)).toEqual(["foreign same", "foreign same"]);
  expect(refused.map(({ title, verb, rules: by, was }) => ({ title, verb, by: by[0], was }))).toEqual([
    { title: "Write src/a.ts", verb: "agent.edit", by: "deny agent.edit", was: "allowed" },
    { title: "fake_shell: make clean", verb: "agent.execute", by: "deny agent.execute", was: "asked" },
  ]);
  expect(asked).toEqual([]);
  const ids = (await eventsOf(daemon, id)).map((event) => event.id);
  for (const { eventId } of refused) expect(ids).toContain(eventId);
  expect({ files: await readdir(cwd), events: ids.length }).toEqual(before);
});

proves("REP-5", "without a look at the files: a directory that is gone changes no verdict", async () => {
  const cwd = await newFolder();
  const { id } = await start(daemon, { adapter: "fake", cwd });
  await turn(daemon, id, `write a.txt x\nwrite ../out.txt y`);
  const judge = () => replay(id, [rule("deny", "agent.edit", "session/*/outside/**"), rule("allow", "agent.*", "**")]);
  const before = await judge();
  expect(before.refused.map(({ title }) => title)).toEqual(["Write ../out.txt"]);
  await rm(cwd, { recursive: true });
  await rm(join(cwd, "../out.txt"), { force: true });
  expect((await judge()).refused).toEqual(before.refused);
});
