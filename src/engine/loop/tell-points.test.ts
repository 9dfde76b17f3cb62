import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import { callOf, doing, result, resultTexts, saying, turnHere, wordTool } from "../../../test/engine/turn-here.ts";
import { proves } from "../../../test/support/proves.ts";
import { ModelError } from "../model.ts";
import { POINTS } from "../points/index.ts";
import type { PointName } from "../points/point-map.ts";
import type { ToolContext } from "../tool.ts";

const NAMES = Object.keys(POINTS) as PointName[];
const note = wordTool("note", async (word) => result(word));

/** A run of turns, and the points that were fired in it. */
function watched(how: Parameters<typeof turnHere>[0] = { tools: [note] }) {
  const turn = turnHere(how);
  const seen: string[] = [];
  for (const name of NAMES)
    turn.points.on(name, (given: object) => {
      const role = "role" in given ? given.role : "message" in given ? Object(given.message).role : undefined;
      seen.push(role === undefined ? name : `${name} ${role}`);
      return undefined as never;
    });
  return { turn, seen };
}

proves("ENG-15", "every point is fired by the loop, or said to come later", () => {
  const folder = new URL(".", import.meta.url);
  const sources = readdirSync(folder).filter((name) => !name.endsWith(".test.ts"));
  const text = sources.map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
  const fired = NAMES.filter((name) => text.includes(`fire("${name}"`));
  expect(fired).toEqual(NAMES.filter((name) => POINTS[name].isLater !== true));
});

proves("ENG-15", "case 1: a call and then text: the points are fired in order, and the turn ends once", async () => {
  const { turn, seen } = watched();
  await turn.run("go", [doing(callOf("note", { word: "a" })), saying("done")]);
  expect(seen).toEqual([
    ...["before_turn", "turn_start", "message_start user", "message_end user"],
    ...["step_start", "context", "before_request", "message_start assistant", "after_response"],
    ...["message_end assistant", "tool_call", "tool_start", "tool_result", "tool_end"],
    ...["message_start tool", "message_end tool", "step_end"],
    ...["step_start", "context", "before_request", "message_start assistant", "after_response"],
    ...["message_end assistant", "step_end", "save_point", "turn_end"],
  ]);
});

proves("ENG-15", "a failed turn: its retries begin and end, its error is told, and it ends once", async () => {
  const { turn, seen } = watched();
  const told: unknown[] = [];
  turn.points.on("retry_end", ({ attempt, isSuccess }) => void told.push([attempt, isSuccess]));
  turn.points.on("turn_end", ({ outcome }) => void told.push(outcome));
  const busy = (): Error => new ModelError("overloaded", "busy");
  await turn.run("go", [busy(), busy(), saying("done")]);
  expect(told).toEqual([[1, false], [2, true], "completed"]);
  turn.points.on("turn_error", ({ message }) => void told.push(message));
  await expect(turn.run("go", [new ModelError("auth", "no key")])).rejects.toThrow("no key");
  expect(told.slice(3)).toEqual(["no key", "failed"]);
  expect(seen.filter((name) => name === "turn_end")).toHaveLength(2);
});

proves(
  "ENG-15",
  "a wrong call, a blocked one and a tool that throws: each ends once, and only the last has an error",
  async () => {
    const broken = wordTool("broken", async () => {
      throw new Error("on fire");
    });
    const { turn, seen } = watched({ tools: [note, broken] });
    turn.points.on("tool_call", ({ input }) => (JSON.stringify(input).includes("bad") ? { block: true } : undefined));
    const calls = [callOf("none", {}), callOf("note", { word: "bad" }), callOf("broken", { word: "x" })];
    await turn.run("go", [doing(...calls), saying("done")]);
    const count = (name: string) => seen.filter((one) => one === name).length;
    expect([count("tool_end"), count("tool_start"), count("tool_error")]).toEqual([3, 1, 1]);
  },
);

proves(
  "ENG-15",
  "the system prompt and the messages of a request are changed; the messages are not stored so",
  async () => {
    const turn = turnHere();
    turn.points.on("before_turn", () => ({ system: "Speak in rhymes." }));
    const off = turn.points.on("context", ({ messages }) => ({
      messages: [...messages, { role: "user", content: [{ kind: "text", text: "ONLY NOW" }] }],
    }));
    await turn.run("hello", [saying("one")]);
    off();
    await turn.run("again", [saying("two")]);
    expect(turn.requests.map(({ system }) => system)).toEqual(["Speak in rhymes.", "Speak in rhymes."]);
    expect(turn.requests.map(({ messages }) => JSON.stringify(messages).includes("ONLY NOW"))).toEqual([true, false]);
    expect(turn.log.filter(({ type }) => type === "context.composed@1")).toHaveLength(1);
  },
);

proves(
  "ENG-15",
  "a guard before an effect: one that blocks and one that fails both keep it from the daemon",
  async () => {
    const run = ({ word }: { readonly word: string }, { world }: ToolContext) =>
      world.run(word, { timeoutMs: 1 }).then(() => result("ran"));
    const shell = wordTool("shell", async () => result(""), { run: run as never, permission: "run" });
    const turn = turnHere({ tools: [shell] });
    const judged: string[] = [];
    const guard = ({ kind, resource }: { readonly kind: string; readonly resource: string }) => {
      judged.push(`${kind} ${resource}`);
      if (resource === "crash") throw new Error("broken guard");
      return { block: true as const, reason: "not here" };
    };
    turn.points.on("before_effect", guard, { guard: true });
    await turn.run("go", [doing(callOf("shell", { word: "rm" }), callOf("shell", { word: "crash" })), saying("done")]);
    expect(judged).toEqual(["run rm", "run crash"]);
    // The daemon of this test knows no `run`: it would have said so.
    expect(resultTexts(turn.requests[1])).toEqual(["Blocked: not here", "Blocked: a guard failed: broken guard"]);
  },
);
