import { join } from "node:path";
import { type Client, ClientError, createClient } from "../../client/index.ts";
import type { Terminal } from "../terminal.ts";
import { type FoundDaemon, findDaemon } from "./find-daemon.ts";
import { readSmall } from "./home-files.ts";
import { nodeFetch } from "./transport.ts";

/** A client of this home's daemon; starts the daemon when none runs. */
export async function connect(terminal: Terminal): Promise<Client> {
  const given = givenClient(terminal);
  if (given !== null) return given;
  return clientOf(terminal, await findOrStart(terminal));
}

/** The daemon's address and a token, for callers that do not use the client. */
export interface Reached {
  readonly url: string;
  readonly token: string;
  readonly socket: string | null;
}

/** Uses $NOMOS_TOKEN when it is set: it may have fewer rights than the operator's token. */
export async function reach(terminal: Terminal): Promise<Reached> {
  const { NOMOS_URL: url, NOMOS_TOKEN: token } = terminal.environment;
  if (url && token) return { url, token, socket: null };
  const found = await findOrStart(terminal);
  return { url: found.url, token: token || (await readToken(terminal.home)), socket: found.socket };
}

async function findOrStart(terminal: Terminal): Promise<FoundDaemon> {
  const found = await findDaemon(terminal.home);
  if (found !== null) return found;
  const { startDetached } = await import("./start-detached.ts");
  return startDetached(terminal, { port: null, tour: false });
}

/** A client of the running daemon; throws `daemon_unreachable` when none runs. */
export async function connectIfUp(terminal: Terminal): Promise<Client> {
  const given = givenClient(terminal);
  if (given !== null) return given;
  const found = await findDaemon(terminal.home);
  if (found === null) throw noDaemon(terminal.home);
  return clientOf(terminal, found);
}

export function noDaemon(home: string): ClientError {
  return new ClientError("daemon_unreachable", {
    status: 0,
    message: `No daemon runs on ${home}.`,
    remedy: "Run `nomos up --detach`, or any command that starts one.",
  });
}

export async function clientOf(terminal: Terminal, found: FoundDaemon): Promise<Client> {
  if (found.version !== terminal.version)
    terminal.complain(
      `warning: the daemon is version ${found.version}, this program is ${terminal.version}: run \`nomos restart\``,
    );
  const token = await readToken(terminal.home);
  return createClient({ url: found.url, token, fetch: nodeFetch(found.socket), onUnknown: tellUnknown(terminal) });
}

/** Inside a session the environment holds the daemon's address and a token for that session. */
function givenClient(terminal: Terminal): Client | null {
  const { NOMOS_URL: url, NOMOS_TOKEN: token } = terminal.environment;
  return url && token ? createClient({ url, token, fetch: nodeFetch(null), onUnknown: tellUnknown(terminal) }) : null;
}

function tellUnknown(terminal: Terminal): (members: readonly string[]) => void {
  return (members) =>
    terminal.complain(`warning: the daemon does not know ${members.map((name) => JSON.stringify(name)).join(", ")}`);
}

export async function readToken(home: string): Promise<string> {
  const path = join(home, "token");
  try {
    return (await readSmall(path)).trim();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ClientError("unauthorized", {
      message: "The operator's token cannot be read.",
      remedy: `Run this command as the user who runs the daemon: only that user can read ${path}.`,
      details: { reason },
      cause,
    });
  }
}
