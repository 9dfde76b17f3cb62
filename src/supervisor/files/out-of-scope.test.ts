import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { TreeChange } from "../../host/index.ts";
import { fitting } from "./fit-in-event.ts";
import { createInOrder } from "./in-order.ts";
import { outOfScope } from "./out-of-scope.ts";
import { unjudgedNames, unseenError } from "./unreadable-changes.ts";

const SCOPE = { allow: ["src"], deny: ["src/secret"] };

const change = (what: TreeChange["what"], name: string, isDirectory = false): TreeChange => ({
  path: name,
  name,
  what,
  isDirectory,
});
const judged = (changes: readonly TreeChange[], widened: readonly string[] = []) => {
  const { undo, told } = outOfScope(changes, SCOPE, widened);
  return {
    undo: undo.map(({ what, name }) => `${what} ${name}`),
    told: told.map(({ path, rule }) => `${path} ${rule}`),
  };
};

proves("WT-14", "a file moved out of the scope is undone at both of its names that lie outside", () => {
  expect(judged([change("deleted", "docs/a"), change("added", "src/a")])).toEqual({
    undo: ["deleted docs/a"],
    told: ["docs/a no_rule"],
  });
  expect(judged([change("added", "docs/a"), change("deleted", "src/a")])).toEqual({
    undo: ["added docs/a"],
    told: ["docs/a no_rule"],
  });
  expect(judged([change("deleted", "src/secret/a"), change("added", "src/b")])).toEqual({
    undo: ["deleted src/secret/a"],
    told: ["src/secret/a deny:src/secret"],
  });
});

proves("WT-14", "every kind of change outside is undone; what lies inside, and in the git dir, stays", () => {
  const all = (["added", "changed", "deleted", "mode"] as const).map((what) => change(what, `top-${what}`));
  expect(judged(all).undo).toEqual(["added top-added", "changed top-changed", "deleted top-deleted", "mode top-mode"]);
  expect(judged([change("changed", "src/a"), change("changed", ".git/HEAD"), change("mode", ".git", true)])).toEqual({
    undo: [],
    told: [],
  });
  expect(judged([change("added", ".github/a"), change("added", "sub/.git/hooks/a")]).undo).toEqual([
    "added .github/a",
    "added sub/.git/hooks/a",
  ]);
});

proves("WT-14", "a path that a person allowed stays, and no other path with it", () => {
  const changes = [change("added", "docs/a"), change("added", "docs/ab")];
  expect(judged(changes, ["docs/a"]).undo).toEqual(["added docs/ab"]);
});

proves("WT-14", "a new folder goes with what is in it; it stays when something allowed lies in it", () => {
  expect(judged([change("added", "docs", true), change("added", "docs/a")])).toEqual({
    undo: ["added docs", "added docs/a"],
    told: ["docs/a no_rule"],
  });
  expect(judged([change("added", "docs", true)])).toEqual({ undo: ["added docs"], told: ["docs no_rule"] });
  const kept = judged(
    [change("added", "docs", true), change("added", "docs/a"), change("added", "docs/b")],
    ["docs/b"],
  );
  expect(kept.undo).toEqual(["added docs/a"]);
  const mode = judged([change("mode", "docs", true), change("added", "docs/b")], ["docs/b"]);
  expect(mode.undo).toEqual(["mode docs"]);
});

proves("WT-14", "a removed folder comes back with what comes back in it", () => {
  const { undo } = outOfScope(
    [change("deleted", "a", true), change("deleted", "a/b", true), change("deleted", "a/b/c")],
    { allow: ["a"], deny: ["a/b/c"] },
    [],
  );
  expect(undo.map(({ name }) => name)).toEqual(["a", "a/b", "a/b/c"]);
});

proves("WT-14", "a file that became a folder comes back, and what was put into the folder goes", () => {
  const { undo } = outOfScope(
    [change("deleted", "a"), change("added", "a", true), change("added", "a/b")],
    { allow: ["a/b"], deny: [] },
    [],
  );
  expect(undo.map(({ what, name }) => `${what} ${name}`)).toEqual(["deleted a", "added a", "added a/b"]);
});

proves("WT-14", "a file that became a folder, and a folder that became a file, are each reported once", () => {
  const toFolder = [change("deleted", "docs"), change("added", "docs", true)];
  expect(judged(toFolder).told).toEqual(["docs no_rule"]);
  expect(judged([...toFolder, change("added", "docs/a")]).told).toEqual(["docs no_rule", "docs/a no_rule"]);
  const toFile = [change("deleted", "docs", true), change("deleted", "docs/a"), change("added", "docs")];
  expect(judged(toFile).told).toEqual(["docs/a no_rule", "docs no_rule"]);
});

proves("WT-14", "what the scope allows inside of a folder that comes back is left as the turn made it", () => {
  const inner = { allow: ["docs/a"], deny: [] };
  const undone = (changes: readonly TreeChange[], widened: readonly string[] = []) =>
    outOfScope(changes, inner, widened).undo.map(({ what, name }) => `${what} ${name}`);
  const gone = change("deleted", "docs", true);
  expect(undone([gone, change("deleted", "docs/a", true)])).toEqual(["deleted docs"]);
  expect(undone([gone, change("deleted", "docs/a"), change("added", "docs")])).toEqual(["deleted docs", "added docs"]);
  const toFolder = [change("deleted", "docs"), change("added", "docs", true)];
  const files = [change("added", "docs/a"), change("added", "docs/b")];
  expect(undone([...toFolder, ...files], ["docs"])).toEqual(["added docs/b"]);
});

proves("WT-14", "a folder that the scope allows to remove stays removed", () => {
  expect(judged([change("deleted", "src/a", true), change("deleted", "src/a/b")]).undo).toEqual([]);
});

proves("WT-14", "a name that cannot be read is refused where the scope does not allow all of it", () => {
  const open = { allow: ["src"], deny: [] };
  const names = [".git", ".git/x", ".gitx", "src/a", "docs/a", "docs/b"];
  expect(unjudgedNames(names, open, ["docs/b"])).toEqual([".gitx", "docs/a"]);
  expect(unjudgedNames(["src/a"], SCOPE, [])).toEqual(["src/a"]);
  const long = "x".repeat(81);
  const whole = "x".repeat(80);
  expect(unseenError("/tree", [whole], [])).toMatchObject({ details: { unseen: [whole] } });
  const error = unseenError("/tree", [long, ...Array.from({ length: 6 }, (_, n) => `n${n}`)], [{ path: "p" }]);
  expect(error).toMatchObject({
    code: "scope_unjudged",
    details: { root: "/tree", count: 7, unseen: [`${"x".repeat(80)}...`, "n0", "n1", "n2", "n3"], putBack: ["p"] },
  });
});

proves("WT-14", "a list in an event is cut by count and by bytes, and says how many are left out", () => {
  expect(fitting(["a", "b", "c"], { count: 3, bytes: 100 })).toEqual({ listed: ["a", "b", "c"], more: 0 });
  expect(fitting(["a", "b", "c"], { count: 2, bytes: 100 })).toEqual({ listed: ["a", "b"], more: 1 });
  expect(fitting(["a", "b", "c"], { count: 9, bytes: 8 })).toEqual({ listed: ["a", "b"], more: 1 });
  expect(fitting(["a", "b", "c"], { count: 9, bytes: 7 })).toEqual({ listed: ["a"], more: 2 });
  expect(fitting(["\u0001", "b"], { count: 9, bytes: 8 })).toEqual({ listed: [], more: 2 });
});

proves("WT-14", "work in one tree runs in order, also after a failure; another tree does not wait", async () => {
  const inOrder = createInOrder();
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = inOrder("a", async () => {
    await gate.promise;
    done.push("first");
    throw new Error("failed");
  });
  const second = inOrder("a", async () => done.push("second"));
  await inOrder("b", async () => done.push("other"));
  expect(done).toEqual(["other"]);
  gate.resolve();
  await expect(first).rejects.toThrow("failed");
  await second;
  expect(done).toEqual(["other", "first", "second"]);
});

proves("WT-14", "work that arrives after the first has ended still waits for the second", async () => {
  const inOrder = createInOrder();
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = inOrder("a", async () => done.push("first"));
  const second = inOrder("a", async () => {
    await gate.promise;
    done.push("second");
  });
  await first;
  const third = inOrder("a", async () => done.push("third"));
  await new Promise(setImmediate);
  expect(done).toEqual(["first"]);
  gate.resolve();
  await Promise.all([second, third]);
  expect(done).toEqual(["first", "second", "third"]);
});

proves("WT-14", "what the law forbids is undone under its rule, also where a person widened the scope to it", () => {
  const forbids = (path: string, isDeleted: boolean) =>
    path.startsWith(".nomos") ? "law:protected" : isDeleted ? "law:keep" : null;
  const changes = [change("changed", ".nomos/config.yaml"), change("deleted", "src/a"), change("added", "src/b")];
  const { undo, told } = outOfScope(changes, SCOPE, [".nomos/config.yaml", "src/a"], forbids);
  expect(undo.map(({ name }) => name)).toEqual([".nomos/config.yaml", "src/a"]);
  expect(told.map(({ rule }) => rule)).toEqual(["law:protected", "law:keep"]);
});
