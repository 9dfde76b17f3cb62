import { expect, test, vi } from "vitest";
import { NO_SESSION_FILES } from "../../../test/support/no-session-parts.ts";
import { SPEC } from "../../../test/support/store-home.ts";
import { systemClock } from "../../host/index.ts";
import { type SandboxMode, Session } from "../../kernel/index.ts";
import type { Driver } from "../../turns/index.ts";
import { createFrames } from "./frames.ts";
import { createLookAhead } from "./turn-ahead.ts";

const FOUND = [{ type: "snapshot.skipped@1", data: { turnId: "turn", code: "disk_low", reason: "" } }] as const;

function scene(expected: (sessionId: string, turnId: string) => void) {
  const look = vi.fn(async () => FOUND);
  const log = vi.fn();
  const keeps = { release: async () => undefined, expect: expected };
  const driver: Driver = {
    slug: "demo",
    summary: "",
    continuity: "native",
    check: async () => undefined,
    runTurn: null,
    keeps,
  };
  const sessionFiles = { ...NO_SESSION_FILES, look };
  const lookAhead = createLookAhead({
    sessionFiles,
    driver: () => driver,
    clock: systemClock(),
    frames: createFrames(),
    log,
  });
  const stateIn = (sandbox: SandboxMode) => ({ ...Session.empty("one"), id: "one", spec: { ...SPEC, sandbox } });
  return { look, log, lookAhead, stateIn };
}

test("files and agent are looked at once, after the current tick", async () => {
  const expected = vi.fn();
  const { look, lookAhead, stateIn } = scene(expected);
  const state = stateIn("off");
  const looked = lookAhead(state, "turn");
  expect(look).not.toHaveBeenCalled();
  expect(await looked).toBe(FOUND);
  expect(look).toHaveBeenCalledExactlyOnceWith(state, "turn_start", "turn", expect.any(Function));
  expect(expected).toHaveBeenCalledExactlyOnceWith("one", "turn");
});

test("a strict session's files are looked at only when its turn is recorded", async () => {
  const { look, lookAhead, stateIn } = scene(() => undefined);
  expect(lookAhead(stateIn("strict"), "turn")).toBeNull();
  await new Promise((resolve) => setImmediate(resolve));
  expect(look).not.toHaveBeenCalled();
});

test("an agent that cannot be looked at does not stop the turn", async () => {
  const { log, lookAhead, stateIn } = scene(() => {
    throw new Error("too many open files");
  });
  expect(await lookAhead(stateIn("off"), "turn")).toBe(FOUND);
  expect(log).toHaveBeenCalledOnce();
});
