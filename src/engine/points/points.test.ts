import { afterEach, describe, expect, test, vi } from "vitest";
import type { ToolResult } from "../tool.ts";
import { createPoints, POINTS, type PointFailure } from "./index.ts";

const CALL = { turnId: "t1", callId: "c1", name: "read" };
const RESULT: ToolResult = { content: [{ kind: "text", text: "one" }], isError: false };

function setUp(handlerMsMax?: number) {
  const failures: PointFailure[] = [];
  const points = createPoints((failure) => failures.push(failure), handlerMsMax === undefined ? {} : { handlerMsMax });
  return { points, failures };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("points", () => {
  test("each of Operator's 46 points has one of ours, under its own name", () => {
    const names = Object.values(POINTS).flatMap(({ operator }) => operator ?? []);
    expect(new Set(names).size).toBe(46);
    expect(names).toHaveLength(46);
    expect(POINTS.step_start.operator).toBe("turn_start");
    expect(POINTS.turn_start.operator).toBe("agent_start");
  });

  test("without a handler nothing is done, and the answer is the same promise", async () => {
    const { points } = setUp();
    expect(points.has("tool_call")).toBe(false);
    const first = points.fire("tool_call", { ...CALL, input: {} });
    expect(points.fire("context", { turnId: "t1", messages: [] })).toBe(first);
    expect(await first).toBeUndefined();
  });

  test("handlers run in order; one that is taken away runs no more", async () => {
    const { points } = setUp();
    const seen: string[] = [];
    points.on("turn_start", async () => {
      await Promise.resolve();
      seen.push("a");
    });
    const off = points.on("turn_start", () => {
      seen.push("b");
      off();
    });
    points.on("turn_start", () => {
      seen.push("c");
    });
    await points.fire("turn_start", { turnId: "t1", prompt: "" });
    await points.fire("turn_start", { turnId: "t2", prompt: "" });
    expect(seen.join("")).toBe("abcac");
  });

  test("a handler that throws is reported and skipped; the others count", async () => {
    const { points, failures } = setUp();
    points.on("tool_call", () => {
      throw new Error("broken");
    });
    points.on("tool_call", () => ({ input: { path: "b" } }));
    expect(await points.fire("tool_call", { ...CALL, input: { path: "a" } })).toEqual({ input: { path: "b" } });
    expect(failures).toMatchObject([{ point: "tool_call", isGuard: false, error: { message: "broken" } }]);
  });

  test("an answer that is no object is reported; fields that the point does not know are ignored", async () => {
    const { points, failures } = setUp();
    // What an extension without types may do.
    points.on("tool_call", (() => "no") as never);
    points.on("tool_call", (() => ({ cancel: true, name: "x" })) as never);
    expect(await points.fire("tool_call", { ...CALL, input: {} })).toBeUndefined();
    expect(failures[0]?.error.message).toBe("the answer at tool_call is no object but string");
  });

  test("two handlers of tool_result change content, then isError: both changes hold", async () => {
    const { points } = setUp();
    const seen: ToolResult[] = [];
    points.on("tool_result", () => ({ content: [{ kind: "text", text: "two" }] }));
    points.on("tool_result", ({ result }) => {
      seen.push(result);
      return { isError: true };
    });
    const answer = await points.fire("tool_result", { ...CALL, result: { ...RESULT, places: [] } });
    expect(seen[0]?.content).toEqual([{ kind: "text", text: "two" }]);
    expect(answer).toEqual({ content: [{ kind: "text", text: "two" }], isError: true, places: [] });
    expect(RESULT.content).toEqual([{ kind: "text", text: "one" }]);
  });

  test("context chains messages, and resources of all handlers are put together", async () => {
    const { points } = setUp();
    const said = (text: string) => ({ role: "user" as const, content: [{ kind: "text" as const, text }] });
    points.on("context", ({ messages }) => ({ messages: [...messages, said("b")] }));
    points.on("context", ({ messages }) => ({ messages: [...messages, said("c")] }));
    const context = await points.fire("context", { turnId: "t1", messages: [said("a")] });
    expect(context?.messages).toEqual([said("a"), said("b"), said("c")]);
    points.on("resources", () => ({ skillPaths: ["a"] }));
    points.on("resources", () => ({ skillPaths: ["b"], workflowPaths: ["w"] }));
    expect(await points.fire("resources", { cwd: "/", reason: "start" })).toEqual({
      skillPaths: ["a", "b"],
      workflowPaths: ["w"],
    });
  });

  test("a block, a cancel or a handled input ends the asking", async () => {
    const { points } = setUp();
    const later = vi.fn();
    points.on("tool_call", () => ({ block: true, reason: "not now" }));
    points.on("tool_call", later);
    expect(await points.fire("tool_call", { ...CALL, input: {} })).toEqual({ block: true, reason: "not now" });
    points.on("before_fork", () => ({ cancel: true }));
    points.on("before_fork", later);
    expect(await points.fire("before_fork", { eventId: "e" })).toEqual({ cancel: true });
    points.on("input", () => ({ handled: true }));
    points.on("input", later);
    expect(await points.fire("input", { text: "/x", source: "person" })).toEqual({ handled: true });
    expect(later).not.toHaveBeenCalled();
  });
});

describe("guards", () => {
  test("a guard that throws blocks, and the reason says so", async () => {
    const { points, failures } = setUp();
    points.on(
      "before_effect",
      () => {
        throw new Error("no database");
      },
      { guard: true },
    );
    const answer = await points.fire("before_effect", { ...CALL, kind: "run", resource: "command/x", detail: {} });
    expect(answer).toEqual({ block: true, reason: "a guard failed: no database" });
    expect(failures).toMatchObject([{ isGuard: true }]);
  });

  test("a guard that answers something else than an object blocks too", async () => {
    const { points } = setUp();
    points.on("tool_call", (() => false) as never, { guard: true });
    expect(await points.fire("tool_call", { ...CALL, input: {} })).toMatchObject({ block: true });
  });

  test("a guard sees what later handlers made of the input, and cannot change it", async () => {
    const { points } = setUp();
    const judged: unknown[] = [];
    points.on(
      "tool_call",
      ({ input }) => {
        judged.push(input);
        return { input: { path: "by the guard" } };
      },
      { guard: true },
    );
    points.on("tool_call", () => ({ input: { path: "/etc" } }));
    expect(await points.fire("tool_call", { ...CALL, input: { path: "a" } })).toEqual({ input: { path: "/etc" } });
    expect(judged).toEqual([{ path: "/etc" }]);
  });

  test("out of time: a guard blocks, another handler is skipped, and both are told by their signal", async () => {
    vi.useFakeTimers();
    const { points, failures } = setUp();
    const signals: AbortSignal[] = [];
    const never = (_given: unknown, signal: AbortSignal): Promise<undefined> => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    points.on("tool_call", never);
    points.on("tool_call", never, { guard: true });
    const answer = points.fire("tool_call", { ...CALL, input: {} });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await answer).toEqual({ block: true, reason: "a guard failed: a handler took longer than 5000 ms" });
    expect(failures.map(({ isGuard }) => isGuard)).toEqual([false, true]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a handler that fails after its time is over disturbs nobody", async () => {
    const { points } = setUp(10);
    points.on("turn_start", async (_given, signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw new Error("too late");
    });
    await points.fire("turn_start", { turnId: "t1", prompt: "" });
    await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test("there are no guards where nothing can be blocked", () => {
    expect(() => setUp().points.on("turn_start", () => undefined, { guard: true })).toThrow("no guards at turn_start");
  });
});
