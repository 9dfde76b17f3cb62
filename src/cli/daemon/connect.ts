import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, ClientError, createClient } from "../../client/index.ts";
import type { Terminal } from "../terminal.ts";
import { type FoundDaemon, findDaemon } from "./find-daemon.ts";
import { nodeFetch } from "./transport.ts";

/** A client of this home's daemon, which is started when there is none. */
export async function connect(terminal: Terminal): Promise<Client> {
  const given = givenClient(terminal);
  if (given !== null) return given;
  const found = await findDaemon(terminal.home);
  if (found !== null) return clientOf(terminal, found);
  const { startDetached } = await import("./start-detached.ts");
  return clientOf(terminal, await startDetached(terminal, { port: null, tour: false }));
}

/** A client of the daemon that runs; `daemon_unreachable` when none does. */
export async function connectIfUp(terminal: Terminal): Promise<Client> {
  const given = givenClient(terminal);
  if (given !== null) return given;
  const found = await findDaemon(terminal.home);
  if (found === null) throw noDaemon(terminal.home);
  return clientOf(terminal, found);
}

function noDaemon(home: string): ClientError {
  return new ClientError("daemon_unreachable", {
    status: 0,
    message: `No daemon runs on ${home}.`,
    remedy: "Run `nomos up --detach`, or any command that needs one.",
  });
}

export async function clientOf(terminal: Terminal, found: FoundDaemon): Promise<Client> {
  if (found.version !== terminal.version)
    terminal.complain(
      `warning: the daemon is version ${found.version}, this program is ${terminal.version}: run \`nomos restart\``,
    );
  return createClient({ url: found.url, token: await readToken(terminal.home), fetch: nodeFetch(found.socket) });
}

/** Inside a session the daemon's address and a token for just that session come with the environment. */
function givenClient({ environment }: Terminal): Client | null {
  const url = environment["NOMOS_URL"];
  const token = environment["NOMOS_TOKEN"];
  return url && token ? createClient({ url, token, fetch: nodeFetch(null) }) : null;
}

async function readToken(home: string): Promise<string> {
  const path = join(home, "token");
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ClientError("unauthorized", {
      message: "The operator's token cannot be read.",
      remedy: `Become the user who runs the daemon; ${path} is theirs alone.`,
      details: { reason },
      cause,
    });
  }
}
