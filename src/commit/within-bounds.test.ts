import { expect } from "vitest";
import { BY, makeCommitHome } from "../../test/support/commit-home.ts";
import { proves } from "../../test/support/proves.ts";
import { NomosError } from "../contract/index.ts";
import { addCustom, Session, type SessionState } from "../kernel/index.ts";
import { StoreError } from "../store/index.ts";
import { type Bounds, UNBOUNDED } from "./bounds.ts";
import { knownSession } from "./change.ts";
import { within } from "./within-bounds.ts";

const noted = (state: SessionState) => addCustom(state, null, [{ type: "x.note@1", payload: "x" }]);

proves("Q1", "a turn learns of a reached limit, whichever way it wrote; other failures are not its end", async () => {
  let thrown: Error | null = null;
  const judge = () => {
    if (thrown !== null) throw thrown;
    return null;
  };
  const bounds: Bounds = {
    ...UNBOUNDED,
    judge,
    mayKeep: async () => {
      judge();
      return () => undefined;
    },
    isTight: () => thrown !== null,
  };
  await using at = await makeCommitHome({ bounds });
  const id = await at.openSession();
  const reached: string[] = [];
  const { commit, change, session, keeper, fence } = within(at.committer, ({ code }) => reached.push(code));
  const ways = [
    () => commit([{ of: knownSession(id), decide: noted }], { by: BY }),
    () => change(Session, id, noted, BY),
    () => session(id, noted, BY),
    () => keeper(id, "course").put(Buffer.from("x")),
  ];
  for (const way of ways) await way();
  expect([reached, fence, keeper(id, "course").isTight()]).toEqual([[], at.committer.fence, false]);
  for (const [error, counts] of [
    [new StoreError("quota_exceeded"), true],
    [new NomosError("disk_low"), true],
    [new NomosError("session_busy"), false],
    [new Error("a bug"), false],
  ] as const)
    for (const way of ways) {
      thrown = error;
      reached.length = 0;
      await expect(way()).rejects.toBe(error);
      expect(reached).toHaveLength(counts ? 1 : 0);
    }
  expect(keeper(id, "course").isTight()).toBe(true);
});
