import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { type AnyFact, evolveBy, streamOf } from "../../kernel/index.ts";
import { acquireLease, evolveLease, type LeaseState, releaseLease } from "./lease.ts";
import { defaultAgent, NEW_SYSTEM, SYSTEM, SYSTEM_STREAM, System, type SystemState } from "./system.ts";
import {
  addWorkspace,
  evolveWorkspaces,
  NO_WORKSPACES,
  useWorkspace,
  WORKSPACE_LIMITS,
  type Workspaces,
} from "./workspaces.ts";

const FREE: LeaseState = { at: "free", version: 0, lastFence: 3 };
const HELD: LeaseState = { at: "held", version: 1, lastFence: 4, holder: "one" };
const ASKED = { resource: "home", holder: "two", deadHolder: false };

proves("K20", "a lease is given with the next fence, or with the one that a restored log demands", () => {
  const fence = (state: LeaseState, more: object) => {
    const decided = acquireLease(state, { ...ASKED, ...more });
    return "refused" in decided ? decided.refused : decided.map(({ data }) => Reflect.get(data, "fence"));
  };
  expect(fence(FREE, {})).toEqual([4]);
  expect(fence(FREE, { atLeast: 9 })).toEqual([9]);
  expect(fence(FREE, { atLeast: 2 })).toEqual([4]);
  expect(fence(HELD, {})).toBe("lease_held");
  expect(fence(HELD, { deadHolder: true })).toEqual([5]);
  expect(acquireLease(HELD, ASKED)).toEqual({ refused: "lease_held", details: { by: "one", fence: 4 } });
});

proves("K20", "a lease is released by its holder's fence only", () => {
  const release = (state: LeaseState, fence: number) => {
    const decided = releaseLease(state, { resource: "home", fence });
    return "refused" in decided ? decided.refused : decided.map(({ type }) => type);
  };
  expect([release(HELD, 4), release(HELD, 3), release(FREE, 3)]).toEqual([
    ["lease.released@1"],
    "stale_fence",
    "stale_fence",
  ]);
});

proves("K20", "the fold of a lease: taken, released by its fence, and only counted otherwise", () => {
  const after = (state: LeaseState, type: string, fence: number) =>
    evolveLease(state, {
      id: "e",
      version: 7,
      at: "",
      fact: { type, data: { resource: "home", holder: "two", fence } } as AnyFact,
    });
  expect(after(FREE, "lease.acquired@1", 4)).toEqual({ at: "held", version: 7, lastFence: 4, holder: "two" });
  expect(after(FREE, "lease.acquired@1", 2)).toMatchObject({ lastFence: 3 });
  expect(after(HELD, "lease.released@1", 4)).toEqual({ at: "free", version: 7, lastFence: 4 });
  expect(after(HELD, "lease.released@1", 3)).toEqual({ ...HELD, version: 7 });
  expect(after(HELD, "x.note@1", 4)).toEqual({ ...HELD, version: 7 });
});

proves("K16", "the system's state: lease, default agent, and how the log compared with its anchors", () => {
  const fold = (state: SystemState, type: string, data: object) =>
    evolveBy(System, state, { id: "e", version: state.version + 1, at: "now", fact: { type, data } });
  expect(NEW_SYSTEM).toEqual({ version: 0, lease: { at: "free", version: 0, lastFence: 0 }, defaultAgent: null });
  expect([System.isSingle, SYSTEM_STREAM, streamOf(System, "any"), SYSTEM.isHot]).toEqual([
    true,
    "system",
    "system",
    true,
  ]);
  const led = fold(NEW_SYSTEM, "lease.acquired@1", { resource: "home", holder: "h", fence: 1 });
  expect(led).toMatchObject({ version: 1, lease: { at: "held", holder: "h", lastFence: 1 } });
  const [chosen] = [defaultAgent("a")].flat();
  expect(fold(led, "agent.defaulted@1", chosen !== undefined && "data" in chosen ? chosen.data : {}).defaultAgent).toBe(
    "a",
  );
  const compared = (answers: readonly object[]) => fold(led, "log.compared@1", { size: 5, answers }).compared;
  const said = (verdict: string, size: number | null = null) => ({ anchor: "x", verdict, size });
  expect(compared([said("newer", 7), said("newer", 9), said("agrees", 99), said("unreachable")])).toEqual({
    ...{ at: "now", size: 5, newerSize: 9, isContradicted: false, unreachable: 1 },
  });
  expect(compared([said("newer"), said("contradicts", 3), said("agrees")])).toMatchObject({
    ...{ newerSize: null, isContradicted: true, unreachable: 0 },
  });
});

proves("K16", "the system has one row, in its own list", () => {
  expect(System.lists).toEqual([SYSTEM]);
  expect(System.ownRows(NEW_SYSTEM, "")).toEqual([{ list: SYSTEM, id: "system", put: NEW_SYSTEM }]);
});

proves("K16", "workspaces: the first becomes active, a known one changes, a removed one is no longer active", () => {
  const add = (state: Workspaces, slug: string, path = "/p", label: string | null = null) => {
    const decided = addWorkspace(state, { slug, path, label });
    return "refused" in decided ? decided.refused : decided.map(({ type }) => type).join(" ");
  };
  const has = (state: Workspaces, slug: string) =>
    evolveWorkspaces(state, { type: "workspace.added@1", data: { slug, path: "/p", label: null } }, "now");
  const [one, two] = [has(NO_WORKSPACES, "a"), has(has(NO_WORKSPACES, "a"), "b")];
  expect(add(NO_WORKSPACES, "a")).toBe("workspace.added@1 workspace.used@1");
  expect(add(one, "b")).toBe("workspace.added@1");
  expect(add({ list: [], active: "gone" }, "b")).toBe("workspace.added@1");
  expect([add(one, "a"), add(one, "a", "/q"), add(one, "a", "/p", "l")]).toEqual([
    "",
    "workspace.added@1",
    "workspace.added@1",
  ]);
  expect(add(one, "default")).toBe("workspace_reserved");
  let full = NO_WORKSPACES;
  for (let n = 0; n < WORKSPACE_LIMITS.workspacesMax.max; n += 1) full = has(full, `w${n}`);
  expect([add(full, "more"), add(full, "w0", "/q")]).toEqual(["workspace_limit", "workspace.added@1"]);
  const used = { ...two, active: "a" };
  const without = (slug: string) => evolveWorkspaces(used, { type: "workspace.removed@1", data: { slug } }, "now");
  expect([without("a").active, without("b").active]).toEqual([null, "a"]);
  expect([useWorkspace(two, "x"), useWorkspace(used, "a"), useWorkspace(used, "b")]).toMatchObject([
    { refused: "workspace_not_found" },
    [],
    [{ type: "workspace.used@1" }],
  ]);
});
