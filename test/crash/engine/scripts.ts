import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { messagesOf, textOf } from "../../e2e/engine/support/chat.ts";
import type { Stage } from "../../e2e/engine/support/scenes.ts";
import { type Event, eventsOf, expectOk } from "../../e2e/support/talk.ts";
import { answer, type Behaviour, calling, type SeenRequest } from "../../engine/model-server/index.ts";
import type { TestDaemon } from "../../support/daemon.ts";

/** A command that leaves one line in the session's file `marks`. */
export function marking(mark: string, then = ""): string {
  return `echo ${mark} >> marks${then === "" ? "" : `; ${then}`}`;
}

export function shell(command: string): Behaviour {
  return calling({ name: "terminal", input: JSON.stringify({ command }) });
}

/** Runs these commands one after another: the results in the conversation show how far it is. Then says `done`. */
export function inOrder(...commands: readonly string[]): (request: SeenRequest) => Behaviour {
  return (request) => {
    const command = commands[resultsOf(request).length];
    return command === undefined ? answer("done") : shell(command);
  };
}

/** Does the first things once, whatever the conversation says; then goes on with the other. */
export function first(once: readonly Behaviour[], then: (request: SeenRequest) => Behaviour) {
  const left = [...once];
  return (request: SeenRequest): Behaviour => left.shift() ?? then(request);
}

function isTold(requests: readonly SeenRequest[]): boolean {
  return requests.some((one) => resultsOf(one).some((text) => text.includes("outcome is unknown")));
}

function resultsOf(request: SeenRequest): readonly string[] {
  return messagesOf(request)
    .filter(({ role }) => role === "tool")
    .map(textOf);
}

export async function marksIn(cwd: string): Promise<readonly string[]> {
  return (await readFile(join(cwd, "marks"), "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
}

/**
 * What must hold wherever something died: each command left its line once if the log says that it is done, at most once if
 * it says that nobody knows, and the model was told so.
 */
export async function expectLedger(
  daemon: TestDaemon,
  { id, cwd }: { readonly id: string; readonly cwd: string },
  requests: readonly SeenRequest[],
): Promise<readonly Event[]> {
  const events = await eventsOf(daemon, id);
  const of = (type: string) => events.filter((event) => event.type === type);
  const marks = await marksIn(cwd);
  expect(marks, "a line is there twice").toEqual([...new Set(marks)]);
  const settled = new Map(of("effect.settled@1").map(({ data }) => [data["effectId"], data["outcome"]]));
  for (const { data } of of("effect.intended@1")) {
    const outcome = settled.get(data["effectId"]);
    const mark = /echo (\S+) >> marks/.exec(String(Object(data["detail"]).command))?.[1] ?? "";
    if (outcome === "done") expect(marks, `${mark} is said to be done`).toContain(mark);
    else if (outcome === "refused") expect(marks).not.toContain(mark);
    else if (outcome === "unknown") expect(isTold(requests), `nobody told the model about ${mark}`).toBe(true);
    else expect({ mark, outcome }).toEqual({ mark, outcome: "failed" });
  }
  expect(of("effect.begun@1").length).toBe(new Set(of("effect.begun@1").map(({ data }) => data["effectId"])).size);
  expect(of("turn.ended@1").length).toBe(of("turn.started@1").length);
  return events;
}

/** The whole log verifies, byte by byte. */
export async function expectVerified(daemon: TestDaemon): Promise<void> {
  expect(expectOk(await daemon.call<{ ok: boolean }>("GET", "/api/audit/verify"))).toMatchObject({ ok: true });
}

export interface EngineStatus {
  readonly pid: number | null;
  readonly sessions: number;
  readonly turns: number;
  readonly crashes: number;
}

export async function engineOf(daemon: TestDaemon): Promise<EngineStatus> {
  return expectOk(await daemon.call<{ engine: EngineStatus }>("GET", "/api/status")).engine;
}

/** An agent of which every command is asked about. */
export async function carefulAgent({ daemon }: Pick<Stage, "daemon">): Promise<string> {
  await daemon().call("POST", "/api/agents", { slug: "careful", driver: "nomos", tools: { run: "always_ask" } });
  return "careful";
}
