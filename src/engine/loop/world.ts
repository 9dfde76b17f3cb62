import type { TodoItem } from "../../kernel/index.ts";
import type { EffectResult, Reply, Served } from "../../turns/index.ts";
import type { Looked, ProgramState, World } from "../tool.ts";
import { asked, CallError, type Link } from "./link.ts";

/** The session's todo list, as the turn sees it. */
export interface TodoList {
  items: readonly TodoItem[];
}

/**
 * The world of one call. Each thing it does has a key made of the call and a number, by which a resumed turn finds what
 * became of it.
 */
export function createWorld(plain: Link, callId: string, call: string, todo: TodoList): World {
  const link: Link = { ...plain, call: (asking) => plain.call({ ...asking, callId }).catch(unlessRecorded) };
  let [effects, reads] = [0, 0];
  const key = (): string => {
    effects += 1;
    return callKey(call, effects);
  };
  // Looking changes nothing, so a resumed call may look again in another order.
  const readKey = (): string => {
    reads += 1;
    return `${call}:read:${reads}`;
  };
  return {
    read: async (path, { from, bytes }) => {
      const answer = await asked<{ base64: string; size: number; hash: string | null }>(link, {
        ...{ do: "read", key: readKey(), path, from, bytes },
      });
      return { bytes: Buffer.from(answer.base64, "base64"), size: answer.size, hash: answer.hash };
    },
    write: async ({ kind, path, text, ifHash }) =>
      unlessChanged(
        await asked<EffectResult>(link, {
          ...{ do: "write", key: key(), as: kind, path, text },
          ...(ifHash === undefined ? {} : { ifHash }),
        }),
      ),
    remove: async ({ path, ifHash }) =>
      unlessChanged(
        await asked<EffectResult>(link, {
          ...{ do: "remove", key: key(), path },
          ...(ifHash === undefined ? {} : { ifHash }),
        }),
      ),
    look: (argv, { bytesMax, timeoutMs, paths = [] }) =>
      asked<Looked>(link, { do: "look", key: readKey(), argv, paths, bytesMax, timeoutMs }),
    outOfScope: (names) => asked<readonly string[]>(link, { do: "outOfScope", names }),
    run: (command, { timeoutMs }) => asked(link, { do: "run", key: key(), command, timeoutMs }),
    exec: (_kind, argv, { timeoutMs }) => asked(link, { do: "exec", key: key(), argv, timeoutMs }),
    processes: {
      start: (command) => asked(link, { do: "start", key: key(), command }),
      list: () => asked<readonly ProgramState[]>(link, { do: "processes" }),
      output: (processId, from) => asked(link, { do: "printed", processId, from }),
      write: async (processId, text) => void (await link.call({ do: "input", processId, text })),
      stop: (processId) => asked(link, { do: "stop", processId }),
      ports: (processId) => asked(link, { do: "ports", processId }),
    },
    output: (effectId, from, bytes) => asked(link, { do: "output", effectId, from, bytes }),
    ask: (question, options) => asked<Reply>(link, { do: "ask", key: key(), question, options }),
    todo: async (items) => {
      await link.call({ do: "todo", items });
      todo.items = items;
    },
    todoNow: async () => todo.items,
    serve: (tool, input) => asked<Served>(link, { do: "served", key: key(), once: firstOf(call), tool, input }),
    artifact: (path, bytes, mediaType) =>
      asked(link, { do: "artifact", path, base64: Buffer.from(bytes).toString("base64"), mediaType }),
  };
}

const AGAIN = ":again";

/** The key of a call that is made again after a cut: the ledger has what the first one began. */
export function againKey(call: string): string {
  return `${call}${AGAIN}`;
}

function firstOf(call: string): string {
  return call.endsWith(AGAIN) ? call.slice(0, -AGAIN.length) : call;
}

/** The key of the n-th thing that a call does. */
export function callKey(call: string, n: number): string {
  return `${call}:${n}`;
}

/** Something was begun, and the log could not take how it ended. */
const NOT_RECORDED: ReadonlySet<string> = new Set(["disk_full", "overloaded", "store_unreachable"]);

function unlessRecorded(thrown: unknown): never {
  if (!(thrown instanceof CallError) || !NOT_RECORDED.has(thrown.code)) throw thrown;
  const why = `The log could not be written (${thrown.code}), so its outcome is unknown.`;
  throw new CallError(thrown.code, `${why} Look at what it did before you repeat it.`);
}

const CHANGED = "file_changed: ";

function unlessChanged(result: EffectResult): EffectResult {
  if (result.outcome === "failed" && result.message?.startsWith(CHANGED) === true)
    throw new CallError("file_changed", result.message.slice(CHANGED.length));
  return result;
}
