import { type Client, ClientError } from "../../client/index.ts";
import { connectIfUp } from "../daemon/connect.ts";
import { needingFirst } from "../sessions/choose.ts";
import type { Terminal } from "../terminal.ts";
import type { Kind } from "./kinds.ts";
import type { Candidate } from "./wanted.ts";

/** A shell waits for this. A daemon that needs longer completes nothing. $NOMOS_COMPLETION_MS: for slow machines. */
const ANSWER_MAX_MS = 300;
const LISTED_MAX = 300;
const TURNS_MAX = 100;

/** The values of a kind, from the running daemon. Never starts one; without one there are none. */
export async function valuesOf(terminal: Terminal, kind: Kind, session: string | null): Promise<readonly Candidate[]> {
  const asked = connectIfUp(terminal).then((client) => ASK[kind]?.(client, session) ?? []);
  const late = new Promise<readonly Candidate[]>((resolve) => {
    setTimeout(resolve, Number(terminal.environment["NOMOS_COMPLETION_MS"]) || ANSWER_MAX_MS, []).unref();
  });
  try {
    return await Promise.race([asked, late]);
  } catch (thrown) {
    if (thrown instanceof ClientError) return [];
    throw thrown;
  }
}

type Ask = (client: Client, session: string | null) => Promise<readonly Candidate[]>;

const ASK: { readonly [kind in Kind]?: Ask } = {
  session: async (client) => {
    const { sessions } = await client.call("session.list", { limit: LISTED_MAX });
    return needingFirst(sessions).map(({ name, agent, state, title, label }) => ({
      value: name,
      meaning: [`${agent}, ${state}`, label ?? title ?? ""].filter((part) => part !== "").join(": "),
    }));
  },
  question: async (client) => {
    const [{ approvals }, { sessions }] = await Promise.all([
      client.call("approval.list", { status: "pending" }),
      client.call("session.list", { onlyAlive: true, limit: LISTED_MAX }),
    ]);
    return sessions.flatMap(({ id, name }) => {
      const asked = approvals.find((approval) => approval.sessionId === id);
      return asked === undefined ? [] : [{ value: name, meaning: asked.question }];
    });
  },
  agent: async (client) =>
    (await client.call("agent.list", {})).agents.map(({ slug, driver }) => ({ value: slug, meaning: driver })),
  driver: async (client) =>
    (await client.call("driver.list", {})).drivers.map(({ slug, summary }) => ({ value: slug, meaning: summary })),
  workspace: async (client) =>
    (await client.call("workspace.list", {})).workspaces.map(({ slug, path }) => ({ value: slug, meaning: path })),
  worktree: async (client) =>
    (await client.call("worktree.list", {})).worktrees.map(({ id, branch }) => ({ value: id, meaning: branch })),
  token: async (client) =>
    (await client.call("token.list", {})).tokens.map(({ tokenId, label }) => ({ value: tokenId, meaning: label })),
  setting: async (client) =>
    (await client.call("config.explain", {})).settings.map(({ key, meaning }) => ({ value: key, meaning })),
  page: async (client) => (await client.call("doc.list", {})).docs.map(({ path }) => ({ value: path, meaning: "" })),
  turn: async (client, session) => {
    if (session === null) return [];
    const { turns } = await client.call("session.turns", { id: session, limit: TURNS_MAX });
    return turns.map(({ turn, prompt, outcome }) => ({
      value: String(turn),
      meaning: [outcome ?? "running", prompt ?? ""].filter((part) => part !== "").join(": "),
    }));
  },
};
