import type { IncomingMessage } from "node:http";
import { catalogued } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { pause } from "../pause.ts";
import { exchange, type McpReached, messagesOf } from "./mcp-http.ts";
import { headersOf, type McpMessage, parsed, readMessage } from "./mcp-message.ts";
import type { Pipe } from "./pipe-rpc.ts";
import { readLines } from "./read-lines.ts";
import { writeLine } from "./write-line.ts";

const LINE_BYTES_MAX = 24_000_000;
const UNDER_WAY_MAX = 64;
const LAST_ANSWERS_MS = 2_000;
const RECONNECT_MS = 1_000;
const SERVER_ERROR = -32_000;

/** The session of a client after its handshake, with what is needed to repeat it after a restart of the daemon. */
interface McpSession {
  readonly hello: McpMessage;
  id: string | null;
  version: string | null;
}

/** MCP over stdio: passes each message to the daemon's /mcp and each answer back. */
export async function pipeMcp(reach: () => Promise<McpReached>, { input, output }: Pipe): Promise<void> {
  const ended = new AbortController();
  const underWay = new Map<Promise<void>, { readonly id: McpMessage["id"]; readonly abort: AbortController }>();
  const write = (text: string): Promise<void> => writeLine(output, text);
  const passage = await openPassage(reach, write, ended.signal);

  const start = (message: McpMessage): Promise<void> => {
    const abort = new AbortController();
    const running = passage.pass(message, abort.signal).finally(() => underWay.delete(running));
    underWay.set(running, { id: message.id, abort });
    return running;
  };

  const take = async (message: McpMessage): Promise<void> => {
    const cancelled = [...underWay.values()].find(({ id }) => message.cancels !== null && id === message.cancels);
    // Without a session, closing the connection cancels the call; with one, the message does.
    if (cancelled !== undefined && !passage.hasSession()) return cancelled.abort.abort();
    const running = start(message);
    if (message.method === "initialize" || message.method === "notifications/initialized") await running;
    while (underWay.size >= UNDER_WAY_MAX) await Promise.race(underWay.keys());
  };

  for await (const line of readLines(input, LINE_BYTES_MAX)) {
    if ("tooLong" in line) await write(refusal(null, "payload_too_large", { lineBytesMax: LINE_BYTES_MAX }));
    else await take(readMessage(line.bytes));
  }
  await Promise.race([Promise.all(underWay.keys()), pause(LAST_ANSWERS_MS, ended.signal)]);
  ended.abort();
  for (const { abort } of underWay.values()) abort.abort();
  await passage.close();
}

interface Passage {
  /** Sends a message to the daemon and writes its answer. If the daemon is gone, writes an error instead. */
  readonly pass: (message: McpMessage, signal: AbortSignal) => Promise<void>;
  readonly hasSession: () => boolean;
  /** After `ended`: waits for the listener and ends the session at the daemon. */
  readonly close: () => Promise<void>;
}

async function openPassage(
  reach: () => Promise<McpReached>,
  write: (text: string) => Promise<void>,
  ended: AbortSignal,
): Promise<Passage> {
  let reached = await reach();
  let session: McpSession | null = null;
  let listening: Promise<void> | null = null;

  /** A message that could not be sent is sent again, to the daemon's new address. */
  const ask = async (asked: Parameters<typeof exchange>[1]): Promise<IncomingMessage> => {
    try {
      return await exchange(reached, asked);
    } catch (thrown) {
      if (asked.signal?.aborted === true || !neverArrived(thrown)) throw thrown;
      reached = await reach();
      return exchange(reached, asked);
    }
  };

  const sessionHeaders = (): Record<string, string> => ({
    ...(session?.id ? { "mcp-session-id": session.id } : {}),
    ...(session?.version ? { "mcp-protocol-version": session.version } : {}),
  });

  const post = (message: McpMessage, signal: AbortSignal): Promise<IncomingMessage> => {
    const headers = message.version === null ? sessionHeaders() : headersOf(message);
    return ask({ method: "POST", headers, body: message.bytes, signal });
  };

  const shakeHands = async (made: McpSession, signal: AbortSignal, tell: (text: string) => Promise<void>) => {
    made.id = null;
    made.version = null;
    const answer = await ask({ method: "POST", headers: {}, body: made.hello.bytes, signal });
    const id = answer.headers["mcp-session-id"];
    made.id = typeof id === "string" ? id : null;
    for await (const text of messagesOf(answer)) {
      const version = memberOf(memberOf(parsed(text), "result"), "protocolVersion");
      if (typeof version === "string") made.version = version;
      await tell(addressed(text, made.hello));
    }
  };

  /** The daemon has forgotten the session: opens a new one without the client noticing. */
  const renew = async (lost: McpSession, signal: AbortSignal): Promise<void> => {
    await shakeHands(lost, signal, async () => undefined);
    const text = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    (await ask({ method: "POST", headers: sessionHeaders(), body: text, signal })).resume();
  };

  /** Passes on notifications of the daemon while there is a session. */
  const listen = async (): Promise<void> => {
    while (!ended.aborted) {
      const answer = await exchange(reached, { method: "GET", headers: sessionHeaders(), signal: ended }).catch(
        () => null,
      );
      if (answer?.statusCode === 200)
        try {
          for await (const text of messagesOf(answer)) await write(text);
        } catch (thrown) {
          if (!(thrown instanceof Error)) throw thrown;
        }
      else answer?.resume();
      await pause(RECONNECT_MS, ended);
    }
  };

  return {
    pass: async (message, signal) => {
      try {
        if (message.method === "initialize" && message.version === null) {
          session = { hello: message, id: null, version: null };
          return await shakeHands(session, signal, write);
        }
        let answer = await post(message, signal);
        if (answer.statusCode === 404 && session?.id && message.version === null) {
          answer.resume();
          await renew(session, signal);
          answer = await post(message, signal);
        }
        const isAnswered = message.id !== null || message.method === null;
        for await (const text of messagesOf(answer)) if (isAnswered) await write(addressed(text, message));
        if (message.method === "notifications/initialized") listening ??= listen();
      } catch (thrown) {
        if (message.id !== null && !signal.aborted) await write(unreachable(message, thrown));
      }
    },
    hasSession: () => session !== null,
    close: async () => {
      await listening;
      if (session === null) return;
      await exchange(reached, { method: "DELETE", headers: sessionHeaders() }).then(
        (answer) => answer.resume(),
        () => undefined,
      );
    },
  };
}

/** The request never reached a daemon, so nothing was done. */
function neverArrived(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && (thrown.code === "ECONNREFUSED" || thrown.code === "ENOENT");
}

/** A refusal before dispatch carries no id; adds the id of the request it answers. One line per message. */
function addressed(text: string, { id }: McpMessage): string {
  const message = parsed(text);
  if (typeof message !== "object" || message === null) return text.replaceAll("\n", " ");
  return JSON.stringify("error" in message && memberOf(message, "id") === null ? { ...message, id } : message);
}

function unreachable({ id }: McpMessage, thrown: unknown): string {
  return refusal(id, "daemon_unreachable", { reason: thrown instanceof Error ? thrown.message : String(thrown) });
}

function refusal(id: McpMessage["id"], code: string, details: object): string {
  const { message, remedy } = catalogued(code);
  const data = { code, message, remedy, details };
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: SERVER_ERROR, message, data } });
}
