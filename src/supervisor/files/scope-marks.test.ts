import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { SPEC } from "../../../test/support/store-home.ts";
import { NomosError } from "../../contract/index.ts";
import type { Taken, TreeChange } from "../../host/index.ts";
import { newSessionState, type SessionState } from "../../kernel/index.ts";
import { createScopeJudge } from "./scope-judge.ts";

const added = (name: string): TreeChange => ({ path: name, name, what: "added", isDirectory: false });
const PUT_BACK = { to: "", changed: 0, restored: [], removed: [], notRestored: [], leftAlone: [], tookMs: 0 };

/** A worktree whose snapshots are only numbered; what changed in it is told by the test. */
function setUpMarks() {
  const home = mkdtempSync(join(tmpdir(), "nomos-marks-"));
  const folder = join(home, "worktrees");
  const tree = join(folder, "owner", "tree");
  const mark = join(folder, "owner", "marks", "one");
  mkdirSync(tree, { recursive: true });
  const told = {
    changes: [] as readonly TreeChange[],
    more: false,
    unseen: [] as readonly string[],
    isTopChanged: false,
    notRestored: [] as readonly string[],
    canRestore: true,
    failsPutBack: false,
  };
  const seen: string[] = [];
  let snapshots = 0;
  const states = new Map<string, SessionState>();
  const judge = createScopeJudge({
    sessionFiles: {
      keep: async () => {
        snapshots += 1;
        const id = `s${snapshots}`;
        await new Promise(setImmediate);
        return { id } as Taken;
      },
      changes: async (from, to) => {
        seen.push(`compare ${from} ${to}`);
        return told;
      },
      diff: async () => [],
      putBack: async (root, to, base, changes) => {
        seen.push(`put back ${changes.map(({ name }) => name)} in ${root === tree} from ${to} over ${base}`);
        seen.push(readFileSync(mark, "utf8"));
        if (told.failsPutBack) throw new Error("killed");
        return { ...PUT_BACK, notRestored: told.notRestored };
      },
      requireRestore: () => {
        if (!told.canRestore) throw new NomosError("sandbox_unavailable");
      },
    },
    folder,
    sessionState: async (id) => {
      const state = states.get(id);
      if (state === undefined) throw new NomosError("session_not_found");
      return state;
    },
  });
  const stateOf = (id: string, cwd = tree): SessionState => ({
    ...newSessionState(id),
    spec: { ...SPEC, cwd, scope: { allow: ["src"], deny: [] } },
  });
  const close = () => rmSync(home, { recursive: true, force: true });
  return { folder, tree, mark, told, seen, states, judge, stateOf, [Symbol.dispose]: close };
}

proves(
  "WT-14",
  "a mark is set once, only the daemon may read it, and a second session starts from the first's",
  async () => {
    using scene = setUpMarks();
    const { judge, mark, stateOf } = scene;
    await Promise.all([judge.begin(stateOf("one")), judge.begin(stateOf("two"))]);
    await judge.begin(stateOf("one"));
    expect(readFileSync(mark, "utf8")).toBe("s1");
    expect(readFileSync(join(mark, "../two"), "utf8")).toBe("s1");
    expect([statSync(mark).mode & 0o777, statSync(join(mark, "..")).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(await judge.marked()).toEqual(["s1", "s1"]);
  },
);

proves("WT-14", "no mark is set for a session without a scope or outside of the worktrees", async () => {
  using scene = setUpMarks();
  const { judge, folder, stateOf } = scene;
  expect(await judge.marked()).toEqual([]);
  const free: SessionState = { ...stateOf("one"), spec: { ...SPEC, cwd: scene.tree, scope: null } };
  for (const state of [free, stateOf("one", `${folder}-other/x/tree`), newSessionState("one")]) {
    await judge.begin(state);
    expect(await judge.end(state)).toMatchObject({ reverted: null, before: null });
  }
  expect(await judge.end(stateOf("one"))).toMatchObject({ reverted: null, before: null });
  expect(await judge.marked()).toEqual([]);
  expect(scene.seen).toEqual([]);
});

proves("WT-14", "a turn does not begin where files cannot be restored or a mark cannot be read", async () => {
  using scene = setUpMarks();
  const { judge, mark, told, stateOf } = scene;
  told.canRestore = false;
  await expect(judge.begin(stateOf("one"))).rejects.toMatchObject({ code: "sandbox_unavailable" });
  expect(await judge.marked()).toEqual([]);
  mkdirSync(mark, { recursive: true });
  await expect(judge.begin(stateOf("one"))).rejects.toMatchObject({ code: "EISDIR" });
  await expect(judge.marked()).rejects.toMatchObject({ code: "EISDIR" });
});

proves("WT-14", "a turn does not begin where no mark can be written, and no snapshot is taken for it", async () => {
  using scene = setUpMarks();
  const { judge, mark, stateOf } = scene;
  const marks = join(mark, "..");
  writeFileSync(marks, "in the way");
  await expect(judge.begin(stateOf("one"))).rejects.toMatchObject({ code: "EEXIST" });
  rmSync(marks);
  await judge.begin(stateOf("one"));
  expect(readFileSync(mark, "utf8")).toBe("s1");
});

proves("WT-14", "a session in a folder of the worktree has the mark of the whole worktree", async () => {
  using scene = setUpMarks();
  const { judge, folder, mark, stateOf, tree } = scene;
  writeFileSync(join(folder, "stray"), "");
  await judge.begin(stateOf("one", join(tree, "src", "deep")));
  expect(readFileSync(mark, "utf8")).toBe("s1");
  expect(await judge.marked()).toEqual(["s1"]);
});

proves("WT-14", "files to put back are in the mark before they are, and the mark stays until the record", async () => {
  using scene = setUpMarks();
  const { judge, mark, seen, told, stateOf } = scene;
  await judge.begin(stateOf("one"));
  told.changes = [added("docs"), added("src/a")];
  const { reverted, before, settled } = await judge.end(stateOf("one"));
  expect(reverted).toEqual({ files: [{ path: "docs", rule: "no_rule" }], more: 0 });
  expect(before).toEqual({ id: "s2" });
  expect(seen).toEqual([
    "compare s1 s2",
    "put back docs in true from s1 over s2",
    `s1\n${JSON.stringify({ files: [{ path: "docs", rule: "no_rule" }], more: 0 })}`,
  ]);
  expect(await judge.marked()).toEqual(["s1"]);
  await settled();
  expect(existsSync(mark)).toBe(false);
  await settled();
});

proves("WT-14", "a turn that stays within its scope: nothing is put back, and its mark goes", async () => {
  using scene = setUpMarks();
  const { judge, mark, seen, told, stateOf } = scene;
  await judge.begin(stateOf("one"));
  told.changes = [added("src/a")];
  const { reverted, before, settled } = await judge.end(stateOf("one"));
  expect({ reverted, before }).toEqual({ reverted: null, before: null });
  expect(seen).toEqual(["compare s1 s2"]);
  await settled();
  expect(existsSync(mark)).toBe(false);
});

proves(
  "WT-14",
  "a crash while files are put back: the next judgement reports them once, with the new ones",
  async () => {
    using scene = setUpMarks();
    const { judge, told, stateOf } = scene;
    await judge.begin(stateOf("one"));
    told.changes = Array.from({ length: 103 }, (_, n) => added(`a${n}`));
    told.failsPutBack = true;
    await expect(judge.end(stateOf("one"))).rejects.toThrow("killed");
    told.changes = [added("a0"), added("b")];
    told.failsPutBack = false;
    const { reverted } = await judge.end(stateOf("one"));
    expect(reverted?.files.map(({ path }) => path)).toEqual(Array.from({ length: 100 }, (_, n) => `a${n}`));
    expect(reverted?.more).toBe(4);
  },
);

proves(
  "WT-14",
  "a path that a person allowed during the turn stays: for the session, or for the tree's owner",
  async () => {
    using scene = setUpMarks();
    const { judge, states, told, stateOf } = scene;
    await judge.begin(stateOf("one"));
    told.changes = ["a", "b", "c"].map(added);
    const paths = async () => (await judge.end(stateOf("one"))).reverted?.files.map(({ path }) => path);
    states.set("one", { ...stateOf("one"), widened: ["a"] });
    states.set("owner", { ...stateOf("owner"), widened: ["b"] });
    expect(await paths()).toEqual(["c"]);
    using other = setUpMarks();
    await other.judge.begin(other.stateOf("one"));
    other.told.changes = ["a", "c"].map(added);
    // The owner is gone: what the session itself was allowed still counts.
    const { reverted } = await other.judge.end({ ...other.stateOf("one"), widened: ["a"] });
    expect(reverted?.files.map(({ path }) => path)).toEqual(["c"]);
  },
);

proves("WT-14", "what could not be put back is not reported as put back", async () => {
  const judged = async (changes: readonly TreeChange[], notRestored: readonly string[]) => {
    using scene = setUpMarks();
    await scene.judge.begin(scene.stateOf("one"));
    Object.assign(scene.told, { changes, notRestored });
    return (await scene.judge.end(scene.stateOf("one"))).reverted;
  };
  expect(await judged(["a", "b"].map(added), ["a"])).toEqual({ files: [{ path: "b", rule: "no_rule" }], more: 0 });
  expect(await judged([added("a")], ["a"])).toBeNull();
  const many = Array.from({ length: 101 }, (_, n) => added(`a${n}`));
  const listed = many.slice(0, 100).map(({ name }) => name);
  expect(await judged(many, listed)).toEqual({ files: [], more: 1 });
  const last = { path: "a99", rule: "no_rule" };
  expect(await judged(many, listed.slice(0, 99))).toEqual({ files: [last], more: 1 });
});

proves("WT-14", "an unreadable name: the mark keeps what was put back, without what could not be", async () => {
  using scene = setUpMarks();
  const { judge, mark, told, stateOf } = scene;
  await judge.begin(stateOf("one"));
  Object.assign(told, { changes: ["a", "b"].map(added), notRestored: ["a"], unseen: ["deep"] });
  const expected = { code: "scope_unjudged", details: { putBack: ["b"] } };
  await expect(judge.end(stateOf("one"))).rejects.toMatchObject(expected);
  const restored = { files: [{ path: "b", rule: "no_rule" }], more: 0 };
  expect(readFileSync(mark, "utf8")).toBe(`s1\n${JSON.stringify(restored)}`);
});

proves("WT-14", "files that were put back but not listed are still counted by the next judgement", async () => {
  using scene = setUpMarks();
  const { judge, told, stateOf } = scene;
  await judge.begin(stateOf("one"));
  const names = Array.from({ length: 101 }, (_, n) => `a${n}`);
  Object.assign(told, { changes: names.map(added), notRestored: names.slice(0, 100), unseen: ["deep"] });
  await expect(judge.end(stateOf("one"))).rejects.toMatchObject({ code: "scope_unjudged" });
  Object.assign(told, { changes: [], notRestored: [], unseen: [] });
  expect((await judge.end(stateOf("one"))).reverted).toEqual({ files: [], more: 1 });
});

proves("WT-14", "the top folder's mode is put back together with the files outside the scope", async () => {
  using scene = setUpMarks();
  await scene.judge.begin(scene.stateOf("one"));
  Object.assign(scene.told, { changes: [added("docs")], isTopChanged: true });
  const { reverted } = await scene.judge.end(scene.stateOf("one"));
  expect(reverted?.files.map(({ path }) => path)).toEqual([".", "docs"]);
});

proves(
  "WT-14",
  "the top folder's mode, too many changes and unreadable names are judged, and the mark stays",
  async () => {
    using scene = setUpMarks();
    const { judge, mark, told, stateOf } = scene;
    await judge.begin(stateOf("one"));
    told.more = true;
    await expect(judge.end(stateOf("one"))).rejects.toMatchObject({ code: "tree_too_large" });
    Object.assign(told, { more: false, isTopChanged: true, unseen: ["deep"] });
    const expected = { code: "scope_unjudged", details: { unseen: ["deep"], putBack: ["."] } };
    await expect(judge.end(stateOf("one"))).rejects.toMatchObject(expected);
    expect(readFileSync(mark, "utf8")).toContain('"path":"."');
    Object.assign(told, { isTopChanged: false, unseen: ["src/deep"] });
    expect((await judge.end(stateOf("one"))).reverted?.files).toEqual([{ path: ".", rule: "path_invalid" }]);
  },
);
