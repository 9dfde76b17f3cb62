import { expect, test } from "vitest";
import type { LogEvent, Session } from "../../src/client/index.ts";
import { forkPoint } from "./fork-point.ts";

const SEQS: { readonly [id: string]: number } = { e3: 3, e7: 7 };
const show = async (id: string): Promise<LogEvent> => ({
  ...{ seq: SEQS[id] ?? 0, id, stream: "session/p", version: 1, type: "turn.ended@1", at: "", actor: "", cause: null },
  ...{ data: {}, hash: "", prev: "" },
});

function session(id: string, from?: readonly [sessionId: string, eventId: string]): Session {
  const rest = {
    ...{ adapterSlug: "demo", workspaceSlug: "w", ground: "", cwd: "/", status: "running", startedAt: "", depth: 0 },
    ...{ name: id, agent: "demo", state: "idle", busy: false, queued: 0, sandbox: "off", head: null },
  } as const;
  return { ...rest, id, ...(from === undefined ? {} : { forkedFrom: { sessionId: from[0], eventId: from[1] } }) };
}

test("a fork and its parent share everything up to the fork, in either order", async () => {
  const [parent, fork] = [session("p"), session("f", ["p", "e3"])];
  expect((await forkPoint(parent, fork, show))?.id).toBe("e3");
  expect((await forkPoint(fork, parent, show))?.id).toBe("e3");
});

test("two forks of one session share what was before the earlier fork", async () => {
  expect((await forkPoint(session("f", ["p", "e7"]), session("g", ["p", "e3"]), show))?.id).toBe("e3");
});

test("strangers share nothing", async () => {
  expect(await forkPoint(session("a"), session("b", ["p", "e3"]), show)).toBeNull();
});
