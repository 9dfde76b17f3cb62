import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { proves } from "../../../test/support/proves.ts";
import { sampled } from "../../../test/support/sampled.ts";
import { SPEC } from "../../../test/support/store-home.ts";
import { judgeChange, type Scope } from "../../domains/index.ts";
import { openSnapshots } from "../../host/index.ts";
import { newSessionState, type SessionState } from "../../kernel/index.ts";
import { createScopeJudge, withReverted } from "./scope-judge.ts";
import { createSessionFiles } from "./session-files.ts";

const provesWall = proves.skipIf(!needs("bwrap"));

/** A worktree of a session with a scope, with real snapshots. */
function setUpTree(scope: Scope, leaveOut: readonly string[] = []) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "nomos-scope-")));
  const tree = join(home, "worktrees", "one", "tree");
  mkdirSync(tree, { recursive: true });
  const snapshots = openSnapshots({ folder: join(home, "snapshots"), bwrapPath: "/usr/bin/bwrap" });
  const sessionFiles = createSessionFiles({
    snapshots,
    home,
    userHome: null,
    limits: () => ({ filesMax: 100_000, bytesMax: 1e9, leaveOut, sessionBytes: 1e9 }),
    isTight: () => false,
    livesAt: () => false,
    nowMs: Date.now,
    log: () => undefined,
  });
  const fresh = newSessionState("01a1df7a-0b4a-7205-9b16-22750182e72d");
  const state: SessionState = { ...fresh, spec: { ...SPEC, cwd: tree, scope } };
  const scopes = createScopeJudge({ sessionFiles, folder: join(home, "worktrees"), sessionState: async () => state });
  /** As the runner does it: the mark is dropped after the judgement is recorded. */
  const end = async (judged: SessionState) => {
    const { reverted, settled } = await scopes.end(judged);
    await settled();
    return reverted;
  };
  const keeper = { ...scopes, end };
  const close = async () => {
    await snapshots.close();
    rmSync(home, { recursive: true, force: true });
  };
  return { tree, state, keeper, scopes, [Symbol.asyncDispose]: close };
}

provesWall(
  "WT-14",
  "changes outside the scope are put back exactly: bytes, modes, links, odd names, folders for files, empty folders",
  async () => {
    await using scene = setUpTree({ allow: ["nothing"], deny: [] });
    const { tree, state, keeper } = scene;
    const at = (path: string) => join(tree, path);
    const write = (path: string, text: string) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
    };
    const odd = Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xfe, 0x41, 0x0a])]);
    writeFileSync(odd, "odd\r\n");
    for (const path of ["README.md", "crlf.txt", "tool.sh", ".gitignore"]) write(path, `*\r\n${path}`);
    for (let n = 0; n < 1200; n += 1) write(`many/${n}.txt`, `${n}\n`);
    mkdirSync(at("empty"));
    symlinkSync("README.md", at("link"));
    const before = portraitOf(tree);
    await keeper.begin(state);
    rmSync(at("many"), { recursive: true });
    symlinkSync("/etc", at("many"));
    writeFileSync(odd, "changed");
    rmSync(at("README.md"));
    write("README.md/inside", "x");
    rmSync(at("link"));
    write("link", "no link");
    chmodSync(at("tool.sh"), 0o755);
    rmSync(at("empty"), { recursive: true });
    write("-rf", "x");
    write("new/deep/er.txt", "x");
    const reverted = await keeper.end(state);
    expect(portraitOf(tree)).toEqual(before);
    expect(reverted).toMatchObject({ files: expect.arrayContaining([{ path: "-rf", rule: "no_rule" }]), more: 1109 });
    expect(await keeper.end(state)).toBeNull();
  },
);

provesWall("WT-14", "two sessions in one tree: what one turn's end put back, the other's does not undo", async () => {
  await using scene = setUpTree({ allow: ["src"], deny: [] });
  const { tree, state, keeper } = scene;
  const child: SessionState = { ...state, id: "01a1df7a-0b4a-7205-9b16-22750182e72e" };
  writeFileSync(join(tree, "docs"), "good");
  await keeper.begin(state);
  writeFileSync(join(tree, "docs"), "evil");
  writeFileSync(join(tree, "new"), "evil");
  await keeper.begin(child);
  expect(await keeper.end(state)).toMatchObject({ files: [{ path: "docs" }, { path: "new" }] });
  mkdirSync(join(tree, "src"));
  expect(await keeper.end(child)).toBeNull();
  expect([...portraitOf(tree)]).toEqual([
    ["docs", "file 644 good"],
    ["src", "directory 755"],
  ]);
});

proves(
  "WT-14",
  "a question about reverted files offers only the files it names, and no file name can fake another",
  () => {
    const state: SessionState = { ...newSessionState("01a1df7a-0b4a-7205-9b16-22750182e72d"), spec: SPEC };
    const odd = { path: "junk\ndocs/x", rule: "path_invalid" };
    const files = [odd, ...Array.from({ length: 30 }, (_, n) => ({ path: `a${n}`, rule: "no_rule" }))];
    const decided = withReverted(state, "turn", "approval", { files, more: 5 }, []);
    const [, asked] = Array.isArray(decided) ? decided : [];
    const offer = JSON.stringify(asked);
    expect(offer).toContain("a19");
    expect(offer).toContain("and 16 more, which stay denied");
    expect(offer).not.toContain("a20");
    expect(offer).not.toContain("docs/x");
  },
);

provesWall("WT-14", "a mark stays until its turn is judged", async () => {
  await using scene = setUpTree({ allow: ["nothing"], deny: [] });
  const { tree, state, keeper } = scene;
  await keeper.begin(state);
  writeFileSync(join(tree, "one"), "1");
  await keeper.begin(state);
  expect(await keeper.marked()).toHaveLength(1);
  expect(await keeper.end(state)).toMatchObject({ files: [{ path: "one" }] });
  expect(await keeper.marked()).toEqual([]);
});

provesWall("WT-14", "a path too deep to read fails the judging by name; the rest is put back", async () => {
  await using scene = setUpTree({ allow: ["src"], deny: [] });
  const { tree, state, keeper } = scene;
  writeFileSync(join(tree, "README.md"), "hello");
  await keeper.begin(state);
  mkdirSync(join(tree, "docs", ..."d".repeat(215)), { recursive: true });
  mkdirSync(join(tree, "src", ..."s".repeat(215)), { recursive: true });
  writeFileSync(join(tree, "README.md"), "changed");
  const expected = { code: "scope_unjudged", details: { count: 1, putBack: ["README.md"] } };
  await expect(keeper.end(state)).rejects.toMatchObject(expected);
  expect(readFileSync(join(tree, "README.md"), "utf8")).toBe("hello");
  expect(await keeper.marked()).toHaveLength(1);
  rmSync(join(tree, "docs/d"), { recursive: true });
  await keeper.begin(state);
  // Reports the files of the first attempt too: that attempt only failed the turn and reported none.
  expect(await keeper.end(state)).toMatchObject({ files: [{ path: "README.md" }, { path: "docs" }], more: 0 });
  expect(lstatSync(join(tree, "docs"), { throwIfNoEntry: false })).toBeUndefined();
  expect(await keeper.marked()).toEqual([]);
});

provesWall("WT-14", "a path too deep to read that existed before is left alone and not reported", async () => {
  await using scene = setUpTree({ allow: ["src"], deny: [] });
  const { tree, state, keeper } = scene;
  const deep = join(tree, "docs", ..."d".repeat(215));
  mkdirSync(deep, { recursive: true });
  await keeper.begin(state);
  writeFileSync(join(tree, "docs/new"), "x");
  expect(await keeper.end(state)).toMatchObject({ files: [{ path: "docs/new" }], more: 0 });
  expect(lstatSync(deep).isDirectory()).toBe(true);
});

provesWall("WT-14", "a path that a rule keeps in place is not reported as put back", async () => {
  await using scene = setUpTree({ allow: ["src"], deny: [] }, ["node_modules"]);
  const { tree, state, keeper } = scene;
  await keeper.begin(state);
  mkdirSync(join(tree, "pkg/node_modules"), { recursive: true });
  writeFileSync(join(tree, "pkg/node_modules/m.js"), "m");
  expect(await keeper.end(state)).toBeNull();
  expect(lstatSync(join(tree, "pkg")).isDirectory()).toBe(true);
});

provesWall("WT-14", "a changed mode of the top folder is put back and reported", async () => {
  await using scene = setUpTree({ allow: ["**"], deny: [] });
  const { tree, state, keeper } = scene;
  chmodSync(tree, 0o750);
  await keeper.begin(state);
  chmodSync(tree, 0o1777);
  expect(await keeper.end(state)).toMatchObject({ files: [{ path: "." }], more: 0 });
  expect(lstatSync(tree).mode & 0o7777).toBe(0o750);
});

const NAMES = ["a", "b", "c.ts", "d"];
const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const act = fc.record({ do: fc.constantFrom("write", "remove", "link", "directory", "mode"), path, text: fc.string() });
const patterns = fc.uniqueArray(fc.constantFrom("a", "a/b", "**/*.ts", "a/**/d", "b/*", "c.ts", "d/a/b", "*"), {
  maxLength: 3,
});

provesWall(
  "WT-14",
  "after any changes nothing outside the scope is changed, and nothing inside is lost",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { maxLength: 25 }),
        fc.array(act, { maxLength: 25 }),
        patterns,
        patterns,
        async (first, then, allow, deny) => {
          const scope = { allow: ["nothing", ...allow], deny };
          await using scene = setUpTree(scope);
          const { tree, state, keeper } = scene;
          for (const one of first) perform(tree, one);
          const before = portraitOf(tree);
          await keeper.begin(state);
          for (const one of then) perform(tree, one);
          const made = portraitOf(tree);
          await keeper.end(state);
          const after = portraitOf(tree);
          const isOurs = (name: string) => judgeChange(name, scope).verdict === "allow";
          for (const name of new Set([...before.keys(), ...after.keys()])) {
            if (isOurs(name)) continue;
            const [old, now] = [before.get(name), after.get(name)];
            // A directory may differ when files inside it may.
            const isForOurs = (one: string | undefined) => one === undefined || one.startsWith("directory");
            if (isForOurs(old) && isForOurs(now) && old !== now) {
              const holdsOurs = [...made.keys(), ...before.keys()].some(
                (inner) => inner.startsWith(`${name}/`) && isOurs(inner),
              );
              expect(holdsOurs, name).toBe(true);
            } else expect(now, name).toBe(old);
          }
          for (const [name, what] of made) {
            if (!isOurs(name) || what.startsWith("directory")) continue;
            const inTheWay = [...before].some(
              ([old, kind]) => name.startsWith(`${old}/`) && !kind.startsWith("directory") && !isOurs(old),
            );
            const underneath = [...before.keys()].some((old) => old.startsWith(`${name}/`) && !isOurs(old));
            if (!inTheWay && !underneath) expect(after.get(name), name).toBe(what);
          }
        },
      ),
      { numRuns: sampled(500, 10) },
    );
  },
  120_000,
);

function perform(tree: string, { do: what, path: name, text }: { do: string; path: string; text: string }): void {
  const place = join(tree, name);
  try {
    if (what !== "remove" && what !== "mode") mkdirSync(dirname(place), { recursive: true });
    if (what === "remove") rmSync(place, { recursive: true, force: true });
    if (what === "mode") chmodSync(place, 0o700);
    if (what === "directory") mkdirSync(place, { recursive: true });
    // A dangling link: a write through it cannot leave the tree.
    if (what === "link") symlinkSync("gone", place);
    if (what === "write") writeFileSync(place, text);
  } catch {
    // Something is in the way, so this step does nothing.
  }
}

/** Every path below with a text that describes it; names as bytes. */
function portraitOf(tree: string): ReadonlyMap<string, string> {
  const listed = execFileSync("find", [".", "-mindepth", "1", "-printf", "%P\\0"], { cwd: tree, encoding: "latin1" });
  return new Map(
    listed
      .split("\0")
      .filter(Boolean)
      .toSorted()
      .map((name) => {
        const place = Buffer.from(`${tree}/${name}`, "latin1");
        const stat = lstatSync(place);
        const mode = (stat.mode & 0o7777).toString(8);
        if (stat.isSymbolicLink()) return [name, `link ${readlinkSync(place)}`];
        return [name, stat.isDirectory() ? `directory ${mode}` : `file ${mode} ${readFileSync(place, "latin1")}`];
      }),
  );
}
