import { expect, test } from "vitest";
import { fakeTerminal } from "../../../test/support/fake-terminal.ts";
import { entryOf } from "./find-syscall.ts";
import { answer } from "./run-syscall.ts";

async function answered(name: string, output: unknown, json = false) {
  const { terminal, lines } = fakeTerminal();
  return {
    exitCode: answer(terminal, await entryOf(name), { output, input: { id: "x" }, tookMs: 0 }, json),
    printed: lines,
  };
}

test("the definition names a member that tells success: any other value of it is exit code 1", async () => {
  for (const [turn, exitCode] of [
    [{ turnId: "t", outcome: "completed" }, 0],
    [{ turnId: "t", outcome: "failed" }, 1],
    [{ turnId: "t", outcome: "interrupted" }, 1],
    [null, 0],
  ] as const)
    expect((await answered("session.wait", { session: {}, turn }, true)).exitCode).toBe(exitCode);
});

test("the definition names no such member: only `ok: false` is exit code 1", async () => {
  expect((await answered("session.kill", { ok: false, id: "x" })).exitCode).toBe(1);
  expect((await answered("session.kill", { ok: true, id: "x" })).exitCode).toBe(0);
  expect((await answered("session.show", { turn: { outcome: "failed" } }, true)).exitCode).toBe(0);
});

test("the definition says that the answer is a diff: it is printed as one, and with --json as it is", async () => {
  const output = { turn: 2, files: [] };
  expect((await answered("session.diff", output)).printed).toEqual(["turn 2 changed no files"]);
  expect((await answered("session.diff", output, true)).printed).toEqual([JSON.stringify(output)]);
});

test("a check of all agents where none is installed says so", async () => {
  const { printed } = await answered("driver.check", { ok: true, latest: [], page: "" });
  expect(printed.join(" ")).toBe("No agent is installed; `nomos driver install claude` installs one.");
});
