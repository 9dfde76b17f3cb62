import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { callOf, doing, result, resultTexts, saying, turnHere, wordTool } from "../../../test/engine/turn-here.ts";
import { proves } from "../../../test/support/proves.ts";
import type { AnyTool } from "../tool.ts";

/** A tool that takes as long as its word says, and notes when it ran. */
function timed(name: string, mode: "parallel" | "sequential" = "parallel") {
  const times: { readonly word: string; readonly fromMs: number; readonly untilMs: number }[] = [];
  const tool = wordTool(
    name,
    async (word) => {
      const fromMs = performance.now();
      await sleep(Number(word));
      times.push({ word, fromMs, untilMs: performance.now() });
      return result(`${name} ${word}`);
    },
    { mode },
  );
  return { tool, times };
}

describe("calls of one step", () => {
  proves(
    "ENG-3",
    "case 3: three parallel tools with different delays run together; results are in the order of the calls",
    async () => {
      const { tool, times } = timed("wait");
      const turn = turnHere({ tools: [tool] });
      const calls = ["120", "10", "60"].map((word) => callOf("wait", { word }));
      await turn.run("go", [doing(...calls), saying("done")]);
      expect(times.map(({ word }) => word)).toEqual(["10", "60", "120"]);
      const lastStart = Math.max(...times.map(({ fromMs }) => fromMs));
      expect(lastStart).toBeLessThan(Math.min(...times.map(({ untilMs }) => untilMs)));
      expect(resultTexts(turn.requests[1])).toEqual(["wait 120", "wait 10", "wait 60"]);
      const ends = turn.log.flatMap((fact) => (fact.type === "tool.ended@1" ? [fact.data.callId] : []));
      expect(ends).toEqual(calls.map(({ callId }) => callId));
    },
  );

  proves(
    "ENG-3",
    "case 4: parallel and sequential calls mixed: the sequential one never runs beside another",
    async () => {
      const [free, alone] = [timed("free"), timed("alone", "sequential")];
      const turn = turnHere({ tools: [free.tool, alone.tool] });
      const words: readonly [string, string][] = [
        ["free", "30"],
        ["free", "10"],
        ["alone", "20"],
        ["alone", "15"],
        ["free", "25"],
        ["free", "5"],
      ];
      await turn.run("go", [doing(...words.map(([name, word]) => callOf(name, { word }))), saying("done")]);
      const all = [...free.times, ...alone.times];
      for (const one of alone.times)
        for (const other of all)
          if (other !== one) expect(other.untilMs <= one.fromMs || other.fromMs >= one.untilMs).toBe(true);
      expect(resultTexts(turn.requests[1])).toEqual(words.map(([name, word]) => `${name} ${word}`));
    },
  );

  proves(
    "ENG-3",
    "case 5: all results end the turn: no further request; only some do: the model is asked again",
    async () => {
      const finish = wordTool("finish", async () => result("finished", { ends: true }));
      const look = wordTool("look", async () => result("looked"));
      const turn = turnHere({ tools: [finish, look] });
      await turn.run("end it", [doing(callOf("finish", { word: "a" }), callOf("finish", { word: "b" }))]);
      expect(turn.requests.length).toBe(1);
      await turn.run("not yet", [doing(callOf("finish", { word: "c" }), callOf("look", { word: "d" })), saying("now")]);
      expect(turn.requests.length).toBe(3);
      // The results of a turn that ended with them are there for the next one.
      expect(resultTexts(turn.requests[1])).toEqual(["finished", "finished"]);
    },
  );

  proves("ENG-2", "case 2: an unknown tool and a wrong input: nothing is executed, and the loop goes on", async () => {
    const ran: string[] = [];
    const note = wordTool("note", async (word) => {
      ran.push(word);
      return result(word);
    });
    const turn = turnHere({ tools: [note] });
    await turn.run("go", [
      doing(
        callOf("missing", {}),
        callOf("note", { wrod: "x" }),
        callOf("note", "{nope"),
        callOf("note", { word: "ok" }),
      ),
      saying("done"),
    ]);
    expect(ran).toEqual(["ok"]);
    const texts = resultTexts(turn.requests[1]);
    expect(texts[0]).toContain("no tool missing");
    expect(texts[1]).toContain("wrod");
    expect(texts[2]).toContain("not valid JSON");
  });

  proves(
    "ENG-3",
    "an endpoint that counts its calls anew in each answer: no two calls of a request share an id",
    async () => {
      const turn = turnHere({ tools: [wordTool("note", async (word) => result(word))] });
      const same = (word: string) => ({ ...callOf("note", { word }), callId: "call_1" });
      await turn.run("go", [doing(same("a")), doing(same("b"), same("c")), saying("done")]);
      await turn.run("more", [doing(same("d")), saying("done")]);
      const messages = turn.requests.at(-1)?.messages ?? [];
      const calls = messages.flatMap((message) =>
        message.role === "assistant"
          ? message.content.flatMap((part) => (part.kind === "call" ? part.callId : []))
          : [],
      );
      const answered = messages.flatMap((message) =>
        message.role === "tool" ? message.results.map(({ callId }) => callId) : [],
      );
      expect(new Set(calls).size).toBe(4);
      expect(calls[0]).toBe("call_1");
      expect(answered).toEqual(calls);
      expect(resultTexts(turn.requests.at(-1))).toEqual(["a", "b", "c", "d"]);
    },
  );

  proves("ENG-2", "a tool that throws: its message is the result, and the others' results stay", async () => {
    const broken = wordTool("broken", async () => {
      throw new Error("the disk is on fire");
    });
    const fine = wordTool("fine", async (word) => result(word));
    const turn = turnHere({ tools: [broken, fine] });
    await turn.run("go", [doing(callOf("broken", { word: "a" }), callOf("fine", { word: "b" })), saying("done")]);
    expect(resultTexts(turn.requests[1])).toEqual(["the disk is on fire", "b"]);
    const outcomes = turn.log.flatMap((fact) => (fact.type === "tool.ended@1" ? [fact.data.outcome] : []));
    expect(outcomes).toEqual(["failed", "done"]);
  });
});

describe("points", () => {
  const noting = (): { readonly tool: AnyTool; readonly ran: string[] } => {
    const ran: string[] = [];
    const tool = wordTool("note", async (word) => {
      ran.push(word);
      return result(word);
    });
    return { tool, ran };
  };

  proves("ENG-15", "case 6: a blocked call is not executed, and its result has the reason", async () => {
    const { tool, ran } = noting();
    const turn = turnHere({ tools: [tool] });
    turn.points.on("tool_call", ({ input }) =>
      JSON.stringify(input).includes("bad") ? { block: true, reason: "not on a Friday" } : undefined,
    );
    await turn.run("go", [doing(callOf("note", { word: "bad" }), callOf("note", { word: "good" })), saying("ok")]);
    expect(ran).toEqual(["good"]);
    expect(resultTexts(turn.requests[1])).toEqual(["Blocked: not on a Friday", "good"]);
  });

  proves("ENG-15", "case 6: a rewritten input is checked again: a good one runs, a wrong one does not", async () => {
    const { tool, ran } = noting();
    const turn = turnHere({ tools: [tool] });
    turn.points.on("tool_call", ({ input }) =>
      JSON.stringify(input).includes("one") ? { input: { word: "uno" } } : { input: { word: 2, extra: true } },
    );
    await turn.run("go", [doing(callOf("note", { word: "one" }), callOf("note", { word: "two" })), saying("ok")]);
    expect(ran).toEqual(["uno"]);
    const [first, second] = resultTexts(turn.requests[1]);
    expect(first).toBe("uno");
    expect(second).toContain("The tool did not run");
  });

  proves(
    "ENG-15",
    "case 7: two handlers patch a result, one its content and one its error: both hold, in log and request",
    async () => {
      const { tool } = noting();
      const turn = turnHere({ tools: [tool] });
      turn.points.on("tool_result", () => ({ content: [{ kind: "text", text: "patched" }] }));
      turn.points.on("tool_result", () => ({ isError: true }));
      await turn.run("go", [doing(callOf("note", { word: "x" })), saying("ok")]);
      expect(turn.requests[1]?.messages.find(({ role }) => role === "tool")).toMatchObject({
        results: [{ content: [{ kind: "text", text: "patched" }], isError: true }],
      });
      expect(turn.log.find(({ type }) => type === "tool.ended@1")).toMatchObject({
        data: { outcome: "failed", output: { text: "patched" } },
      });
    },
  );

  proves("ENG-15", "a handler that throws is reported and changes nothing", async () => {
    const { tool, ran } = noting();
    const turn = turnHere({ tools: [tool] });
    for (const point of ["tool_call", "tool_result", "turn_start", "step_end"] as const)
      turn.points.on(point, () => {
        throw new Error(`broken ${point}`);
      });
    await turn.run("go", [doing(callOf("note", { word: "x" })), saying("ok")]);
    expect(ran).toEqual(["x"]);
    expect(new Set(turn.failures.map(({ point }) => point)).size).toBe(4);
  });
});

describe("compaction and extensions", () => {
  const FULL = { input: 7800, output: 10, cacheRead: 0, cacheWrite: 0 };
  const long = "word ".repeat(4000);
  const small = () => turnHere({ windowTokens: 10_000 });

  proves("ENG-15", "case 21: a cancelled compaction asks no model and changes nothing", async () => {
    const turn = small();
    turn.points.on("before_compact", () => ({ cancel: true, reason: "not now" }));
    await turn.run(long, [saying("one")]);
    await turn.run(long, [saying("two", FULL)]);
    expect(turn.requests.length).toBe(2);
    expect(turn.log.some(({ type }) => type === "context.compacted@1")).toBe(false);
  });

  proves(
    "ENG-15",
    "case 21: an extension's own summary: no model is asked, and `compacted` says where it comes from",
    async () => {
      const turn = small();
      const told: boolean[] = [];
      turn.points.on("before_compact", ({ reason }) =>
        reason === "threshold" ? { summary: "OWN SUMMARY" } : undefined,
      );
      turn.points.on("compacted", ({ isFromExtension }) => void told.push(isFromExtension));
      await turn.run(long, [saying("one")]);
      await turn.run(long, [saying("two", FULL)]);
      expect(turn.requests.length).toBe(2);
      expect(told).toEqual([true]);
      expect(turn.log.find(({ type }) => type === "context.compacted@1")).toMatchObject({
        data: { strategy: "extension", summary: { text: "OWN SUMMARY" }, reason: "threshold" },
      });
      await turn.run("three", [saying("three")]);
      expect(JSON.stringify(turn.requests[2]?.messages[0])).toContain("OWN SUMMARY");
    },
  );

  proves("ENG-15", "a compaction by the model: `compacted` says so", async () => {
    const turn = small();
    const told: boolean[] = [];
    turn.points.on("compacted", ({ isFromExtension }) => void told.push(isFromExtension));
    await turn.run(long, [saying("one")]);
    await turn.run(long, [saying("two", FULL), saying("BY THE MODEL")]);
    expect(told).toEqual([false]);
    expect(turn.requests[2]?.tools).toEqual([]);
  });
});
