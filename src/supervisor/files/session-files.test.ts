import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { SPEC } from "../../../test/support/store-home.ts";
import { openSnapshots, type TreeSpec } from "../../host/index.ts";
import { newSessionState, type SessionState } from "../../kernel/index.ts";
import { createSessionFiles } from "./session-files.ts";

const NOW = 1_800_000_000_000;

proves("SN-2", "files that a turn, an agent or a foreign program could still hold mapped are not trusted", async () => {
  const asked: TreeSpec[] = [];
  let isAlive = false;
  const sessionFiles = createSessionFiles({
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
  expect(await since(() => sessionFiles.look(state, "turn_end", null))).toBe(0);
  expect(await since(() => sessionFiles.keep("/a/b"))).toBe(0);
  expect(await since(() => sessionFiles.take(state, "turn"))).toBe(NOW);
  expect(await since(() => sessionFiles.look(reported, "turn_end", null))).toBe(60_000);
  isAlive = true;
  expect(await since(() => sessionFiles.look(state, "turn_start", null))).toBe(60_000);
  expect(await since(() => sessionFiles.keep("/a/b"))).toBe(60_000);
  expect(await since(() => sessionFiles.keep("/a/c"))).toBe(0);
  expect(await since(() => sessionFiles.take(state, "turn"))).toBe(NOW);
});

proves(
  "WL-20",
  "a set-id file in a strict session's directory loses its bits when the turn ends; others keep theirs",
  async () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), "nomos-set-id-")));
    const [folder, cwd] = [join(home, "snapshots"), join(home, "ground", "deep")];
    mkdirSync(cwd, { recursive: true });
    const snapshots = openSnapshots({ folder, bwrapPath: null });
    const sessionFiles = createSessionFiles({
      snapshots,
      home: join(home, "home"),
      userHome: null,
      limits: () => ({ filesMax: 1000, bytesMax: 1e9, leaveOut: [], sessionBytes: 1e9 }),
      isTight: () => false,
      livesAt: () => false,
      nowMs: Date.now,
      log: () => undefined,
    });
    const make = (name: string) => {
      writeFileSync(join(cwd, name), "#!/bin/sh\n");
      chmodSync(join(cwd, name), 0o6755);
    };
    const modeOf = (name: string) => statSync(join(cwd, name)).mode & 0o7777;
    make("before");
    const fresh = newSessionState("01a1df7a-0b4a-7205-9b16-22750182e72d");
    const spec = { ...SPEC, cwd, sandbox: "strict" as const };
    const { id } = await sessionFiles.keep(cwd);
    const strict: SessionState = { ...fresh, spec, view: { ...fresh.view, world: { snapshot: id, skipped: null } } };
    mkdirSync(join(cwd, "sub"));
    make("sub/x");
    symlinkSync("before", join(cwd, "link"));
    const [taken] = await sessionFiles.look({ ...strict, spec: { ...spec, sandbox: "off" } }, "turn_end", "turn");
    expect([taken?.type, modeOf("sub/x")]).toEqual(["snapshot.taken@1", 0o6755]);
    const [again] = await sessionFiles.look(strict, "turn_end", "turn");
    expect([again?.type, modeOf("sub/x"), modeOf("before")]).toEqual(["snapshot.taken@1", 0o755, 0o6755]);
    await snapshots.close();
    rmSync(home, { recursive: true });
  },
);
