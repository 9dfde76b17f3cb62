import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { SPEC } from "../../../test/support/store-home.ts";
import { NomosError } from "../../contract/index.ts";
import type { Taken, TreeChange } from "../../host/index.ts";
import { fact, LIMITS, newSessionState, refuse, type SessionState } from "../../kernel/index.ts";
import { createScopeJudge, type Reverted, unjudged, withReverted } from "./scope-judge.ts";

const TURN = fact("turn.ended@1", { turnId: "turn", outcome: "completed", error: null });
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

proves("WT-14", "the record of a judged turn: what was put back, its end, and a question where there is room", () => {
  const state: SessionState = { ...newSessionState("one"), spec: SPEC };
  const reverted: Reverted = { files: [{ path: "docs/a b", rule: "no_rule" }], more: 0 };
  const typesOf = (given: SessionState, what: Reverted | null) => {
    const decided = withReverted(given, "turn", "approval", what, [TURN]);
    return "refused" in decided ? decided.refused : decided.map(({ type }) => type);
  };
  const asked = ["scope.reverted@1", "turn.ended@1", "approval.requested@1"];
  expect(typesOf(state, reverted)).toEqual(asked);
  expect(typesOf(state, null)).toEqual(["turn.ended@1"]);
  expect(typesOf(state, { files: [{ path: "a\nb", rule: "path_invalid" }], more: 3 })).toEqual(asked.slice(0, 2));
  expect(typesOf({ ...state, phase: { at: "exited" } as SessionState["phase"] }, reverted)).toEqual(asked.slice(0, 2));
  const pending = (count: number) => ({
    ...state,
    approvals: Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, {}])) as SessionState["approvals"],
  });
  expect(typesOf(pending(LIMITS.pendingApprovalsMax - 1), reverted)).toEqual(asked);
  expect(typesOf(pending(LIMITS.pendingApprovalsMax), reverted)).toEqual(asked.slice(0, 2));
  const refused = refuse("session_ended");
  expect(withReverted(state, "turn", "approval", reverted, refused)).toBe(refused);
  const decided = withReverted(state, "turn", "approval", reverted, []);
  expect("refused" in decided ? null : decided.map(({ data }) => data)).toEqual([
    { turnId: "turn", ...reverted },
    {
      approvalId: "approval",
      turnId: "turn",
      question: "Put back because it lies outside of the scope: 'docs/a b'. Allow it from now on?",
      options: [],
      action: { verb: "scope.widen", resource: "docs/a b" },
      effectId: null,
      checkpoint: null,
    },
  ]);
});

proves("WT-14", "the error of a turn that could not be judged names the cause, cut to a length", () => {
  const { code, message } = unjudged(new NomosError("tree_too_large", { root: "/r" }));
  expect(code).toBe("tree_too_large");
  expect(message).toMatch(/^The turn's changes could not be checked against its scope: .*\{"root":"\/r"\}$/);
  expect(unjudged(new Error("x".repeat(9000))).message.length).toBeLessThan(1600);
});
