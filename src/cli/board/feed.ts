import { type Client, ClientError, type LogEvent, type Session } from "../../client/index.ts";
import { activityOf } from "../../domains/index.ts";
import type { Collision, OpenLandings } from "../landing/open-landings.ts";
import type { WorkInNeed } from "../work/works-in-need.ts";
import type { BoardRow } from "./board-rows.ts";
import { createLandingsFeed } from "./landings-feed.ts";
import { createQuestionsBySession } from "./questions-by-session.ts";

/** The board's copy of what the daemon knows. Follows the log, so it never asks in a loop. */
export interface Feed {
  readonly rows: () => readonly BoardRow[];
  readonly landings: () => OpenLandings;
  readonly collisions: () => readonly Collision[];
  readonly works: () => readonly WorkInNeed[];
  readonly get: (id: string) => BoardRow | undefined;
  readonly isConnected: () => boolean;
  readonly withEnded: (shown: boolean) => void;
  /** Reads the last line of sessions that are on the screen and have not said anything since. */
  readonly look: (ids: readonly string[]) => void;
  readonly close: () => void;
}

const PAGE = 200;
const SESSIONS_MAX = 5_000;
const SETTLE_MS = 60;
/** More changed rows than this are read as a list. */
const SINGLE_READS_MAX = 12;
const LINE_CHARS_MAX = 300;
/** As live, when the event itself is there. */
const TOOL_LINE = /^\[tool\] (\w+): /;
/** The last line may be the end of a turn. */
const LAST_LINES = 10;

export function openFeed(client: Client, onChange: () => void, onRefused: (thrown: unknown) => void): Feed {
  const leave = new AbortController();
  const sessions = new Map<string, Session>();
  const questions = createQuestionsBySession();
  const doing = new Map<string, string>();
  const stale = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isConnected = true;
  let hasEnded = false;
  const landings = createLandingsFeed(client);

  const keep = (session: Session): void => {
    if (session.endedAt !== undefined && !hasEnded) sessions.delete(session.id);
    else sessions.set(session.id, session);
  };
  const loadAll = async (): Promise<void> => {
    const { approvals } = await client.call("approval.list", { status: "pending" });
    questions.replace(approvals);
    const seen = new Set<string>();
    let after: string | undefined;
    do {
      const page = await client.call("session.list", {
        onlyAlive: !hasEnded,
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      for (const session of page.sessions) {
        keep(session);
        seen.add(session.id);
      }
      after = page.next ?? undefined;
      onChange();
    } while (after !== undefined && seen.size < SESSIONS_MAX && !leave.signal.aborted);
    for (const id of sessions.keys()) if (!seen.has(id)) sessions.delete(id);
    await landings.load();
    onChange();
  };
  const refresh = async (): Promise<void> => {
    const ids = [...stale];
    stale.clear();
    if (ids.length > SINGLE_READS_MAX) return loadAll();
    for (const id of ids) {
      const session = await client.call("session.show", { id }).catch(() => null);
      if (session === null) sessions.delete(id);
      else keep(session);
    }
    await landings.load();
    onChange();
  };
  /** Changes that come together are read together. */
  const later = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      refresh().catch(() => undefined);
    }, SETTLE_MS);
  };
  const hear = (event: LogEvent): void => {
    const [kind, id = ""] = event.stream.split("/");
    if (landings.hear(kind ?? "", id)) later();
    if (kind !== "session") return;
    const said = activityOf(event);
    if (said !== null) doing.set(id, said.slice(0, LINE_CHARS_MAX));
    questions.hear(id, event);
    stale.add(id);
    later();
  };
  const connected = (is: boolean): void => {
    if (is !== isConnected && is) {
      landings.forget();
      void loadAll().catch(() => undefined);
    }
    isConnected = is;
    onChange();
  };
  /** A token that may not list or follow is refused, however often one asks. */
  const failed = (thrown: unknown): void => {
    if (thrown instanceof ClientError && thrown.status !== 0) onRefused(thrown);
    else connected(false);
  };
  const follow = async (): Promise<void> => {
    const options = {
      after: "now",
      signal: leave.signal,
      reconnectsMax: Number.POSITIVE_INFINITY,
      onBroken: () => connected(false),
      onConnected: () => connected(true),
    };
    for await (const item of client.stream("event.stream", {}, options)) if (item.event === "event") hear(item.data);
  };
  const row = (session: Session): BoardRow => ({
    session,
    questions: questions.of(session.id),
    doing: doing.get(session.id) ?? "",
    landing: landings.of(session.id),
    need: landings.works().find(({ sessionId }) => sessionId === session.id)?.why,
  });
  follow().catch(failed);
  loadAll().catch(failed);
  return {
    landings: landings.all,
    collisions: landings.collisions,
    works: landings.works,
    rows: () => Array.from(sessions.values(), row),
    get: (id) => {
      const session = sessions.get(id);
      return session === undefined ? undefined : row(session);
    },
    isConnected: () => isConnected,
    withEnded: (shown) => {
      hasEnded = shown;
      if (!shown) for (const [id, { endedAt }] of sessions) if (endedAt !== undefined) sessions.delete(id);
      loadAll().catch(() => undefined);
    },
    look: (ids) => lookAt(client, ids, doing, onChange),
    close: () => {
      clearTimeout(timer);
      leave.abort();
    },
  };
}

/** Puts a last line where nothing was heard yet. */
function lookAt(client: Client, ids: readonly string[], doing: Map<string, string>, onChange: () => void): void {
  for (const id of ids) {
    if (doing.has(id)) continue;
    doing.set(id, "");
    void lastLineOf(client, id).then((line) => {
      if (line === "" || doing.get(id) !== "") return;
      doing.set(id, line);
      onChange();
    });
  }
}

/** The last line a session said; empty when it said nothing or the daemon does not answer. */
async function lastLineOf(client: Client, id: string): Promise<string> {
  const { lines } = await client.call("session.output", { id, lastN: LAST_LINES }).catch(() => ({ lines: [] }));
  const last = lines.findLast(({ line }) => line.trim() !== "" && !line.startsWith("──"));
  return last?.line.replace(TOOL_LINE, "$1 ").slice(0, LINE_CHARS_MAX) ?? "";
}
