import { expect } from "vitest";
import { proves } from "../../test/support/proves.ts";
import { SPEC } from "../../test/support/store-home.ts";
import { openSnapshots, type TreeSpec } from "../host/index.ts";
import { newSessionState, type SessionState } from "../kernel/index.ts";
import { createWorlds } from "./worlds.ts";

const NOW = 1_800_000_000_000;

proves(
  "SN-2",
  "what a turn, an agent or a program of somebody else may hold mapped is not trusted for so long",
  async () => {
    const asked: TreeSpec[] = [];
    let isAlive = false;
    const worlds = createWorlds({
      snapshots: {
        ...openSnapshots({ folder: "/nowhere", bwrapPath: null }),
        take: (tree) => {
          asked.push(tree);
          return Promise.reject(new Error("not kept"));
        },
      },
      home: "/home",
      userHome: null,
      limits: () => ({ filesMax: 1, bytesMax: 1, leaveOut: [], sessionBytes: 1 }),
      isTight: () => false,
      livesAt: (root) => isAlive && root === "/a/b",
      nowMs: () => NOW,
      log: () => undefined,
    });
    const spec = { ...SPEC, cwd: "/a/b" };
    const state: SessionState = { ...newSessionState("01a1df7a-0b4a-7205-9b16-22750182e72d"), spec };
    const reported: SessionState = { ...state, spec: { ...spec, external: { pid: 1, startTime: "1" } } };
    const since = async (ask: () => Promise<unknown>): Promise<number> => {
      await ask().catch(() => null);
      return NOW - (asked.at(-1)?.quietSinceMs ?? Number.NaN);
    };
    expect(await since(() => worlds.look(state, "turn_end", null))).toBe(0);
    expect(await since(() => worlds.keep("/a/b"))).toBe(0);
    expect(await since(() => worlds.take(state, "turn"))).toBe(NOW);
    expect(await since(() => worlds.look(reported, "turn_end", null))).toBe(60_000);
    isAlive = true;
    expect(await since(() => worlds.look(state, "turn_start", null))).toBe(60_000);
    expect(await since(() => worlds.keep("/a/b"))).toBe(60_000);
    expect(await since(() => worlds.keep("/a/c"))).toBe(0);
    expect(await since(() => worlds.take(state, "turn"))).toBe(NOW);
  },
);
