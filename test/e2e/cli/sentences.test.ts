import { afterAll, beforeAll, expect, test } from "vitest";
import type { Session } from "../../../src/client/index.ts";
import { startDaemon, type TestDaemon } from "../../support/daemon.ts";

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startDaemon();
});

afterAll(() => daemon[Symbol.asyncDispose]());

const said = async (...args: readonly string[]) => (await daemon.cli(...args)).stdout;

test("kill says what was kept, and a second kill that the session had ended", async () => {
  const started = await said("session", "start", "demo");
  const [, name = ""] = /^Started (\S+) with demo in /.exec(started) ?? [];
  expect(started).toContain(`\nNext: nomos attach ${name}\n`);
  expect(await said("kill", name)).toMatch(/^Killed \S+\. Its transcript and its files are kept\.\nNext: nomos logs /);
  expect(await daemon.cli("kill", name)).toMatchObject({ exitCode: 1, stdout: `${name} had ended already.\n` });
});

test("fork, label, interrupt and prompt answer with the names a person uses", async () => {
  const { name } = (await daemon.cli("run", "write a.txt one", "--json")).json<Session>();
  expect(await said("fork", name)).toMatch(
    new RegExp(`^Forked ${name} into (\\S+) in \\S+\\.\\nNext: nomos attach \\1\\n$`),
  );
  expect(await said("session", "label", name, "night", "shift")).toBe(`${name} is now labelled: night shift\n`);
  expect(await said("session", "label", name, "")).toBe(`${name} has no label now.\n`);
  expect(await said("interrupt", name)).toBe(`${name} has no running turn.\n`);
  expect(await said("rewind", name, "--turn", "0")).toMatch(/^Rewound .*\nRemoved: a\.txt\n(.*\n)*Undo: nomos rewind /);
  expect(await said("prompt", name, "say hi")).toBe(`${name} has the prompt.\nNext: nomos logs -f ${name}\n`);
});

test("session show is a card of what matters; --json has every member", async () => {
  const { id, name } = (await daemon.cli("run", "say hi", "--json")).json<Session>();
  const card = await said("session", "show", name);
  expect(card).toMatch(new RegExp(`^name: +${name}\\n(.*\\n)*state: +idle\\n(.*\\n)*id: +${id}\\n$`));
  for (const dull of ["head:", "depth:", "exit code:", "queued:"]) expect(card).not.toContain(dull);
  expect((await daemon.cli("session", "show", name, "--json")).json()).toMatchObject({ id, depth: 0, queued: 0 });
});
