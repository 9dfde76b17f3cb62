import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { ClientError } from "../../client/index.ts";
import { pause } from "../pause.ts";
import type { Terminal } from "../terminal.ts";
import { noDaemon, type Reached, readToken } from "./connect.ts";
import { type FoundDaemon, findDaemon, isRunning, readNote } from "./find-daemon.ts";

/** A daemon that is being restarted is back by then. */
const BACK_MAX_MS = 6_000;
const LOOK_EVERY_MS = 200;

/**
 * For programs that another program starts, where nobody sees which daemon they found: says it on stderr. Starts one only
 * where that is no surprise: not while the person's usual home has one, and not again after it was stopped.
 */
export function reachAloud(terminal: Terminal, command: string): () => Promise<Reached> {
  const { NOMOS_URL: url, NOMOS_TOKEN: token } = terminal.environment;
  const say = (text: string): void => terminal.complain(`${command}: ${text}`);
  let isFirst = true;
  return async () => {
    const again = !isFirst;
    isFirst = false;
    if (url && token) {
      if (!again) say(`serves the daemon at ${url} ($NOMOS_URL)`);
      return { url, token, socket: null };
    }
    if (url && !again) say("$NOMOS_URL is not used, because $NOMOS_TOKEN is not set");
    const found = await (again ? backAgain(terminal, say) : findFirst(terminal, say));
    say(`serves ${terminal.home} (daemon ${found.pid} at ${found.url})`);
    return { url: found.url, token: token || (await readToken(terminal.home)), socket: found.socket };
  };
}

type Say = (text: string) => void;

async function findFirst(terminal: Terminal, say: Say): Promise<FoundDaemon> {
  const found = await findDaemon(terminal.home);
  if (found !== null) return found;
  const elsewhere = terminal.environment["NOMOS_HOME"] ? null : await daemonOfUsualHome(terminal.home);
  if (elsewhere !== null) throw inOtherHome(terminal.home, elsewhere);
  return startAloud(terminal, say);
}

/** `daemon.json` stays after a crash and is removed by `nomos down`: what a person stopped is not started again. */
async function backAgain(terminal: Terminal, say: Say): Promise<FoundDaemon> {
  for (const untilMs = Date.now() + BACK_MAX_MS; Date.now() < untilMs; await pause(LOOK_EVERY_MS)) {
    const note = await readNote(terminal.home);
    const found = note === null ? null : await findDaemon(terminal.home);
    if (found !== null) return found;
    // One that is stopping still runs, and removes the file at the end.
    if (note !== null && !isRunning(note.pid)) return startAloud(terminal, say);
  }
  throw noDaemon(terminal.home);
}

async function startAloud(terminal: Terminal, say: Say): Promise<FoundDaemon> {
  say(`no daemon runs on ${terminal.home}; starting one`);
  const { startDetached } = await import("./start-detached.ts");
  return startDetached(terminal, { port: null, tour: false }).catch((thrown: unknown) => {
    throw thrown instanceof ClientError && thrown.code === "port_in_use"
      ? inOtherHome(terminal.home, null, thrown)
      : thrown;
  });
}

/** A client that runs with another $HOME looks for another home than its person does. */
async function daemonOfUsualHome(home: string): Promise<(FoundDaemon & { readonly home: string }) | null> {
  for (const usual of new Set([homeOfUser(), homedir()].map((folder) => join(folder, ".nomos")))) {
    const found = usual === home ? null : await findDaemon(usual);
    if (found !== null) return { ...found, home: usual };
  }
  return null;
}

/** As the system knows it, whatever $HOME says. */
function homeOfUser(): string {
  try {
    return userInfo().homedir;
  } catch (thrown) {
    // A user without an entry, as in some containers.
    if (thrown instanceof Error) return homedir();
    throw thrown;
  }
}

function inOtherHome(
  home: string,
  other: (FoundDaemon & { readonly home: string }) | null,
  cause?: ClientError,
): ClientError {
  const where = other === null ? "on the port that this one would use" : `on ${other.home} (${other.url})`;
  return new ClientError(cause?.code ?? "daemon_unreachable", {
    status: 0,
    message: `No daemon runs on ${home}, and another program or daemon runs ${where}. A second daemon was not started.`,
    remedy: `Set NOMOS_HOME=${other?.home ?? "<home>"} where this command is configured, to use that daemon; or start one for ${home}: \`NOMOS_HOME=${home} nomos up --detach --port 0\`.`,
    details: { home, ...(other === null ? {} : { other: other.home }), ...cause?.details },
    ...(cause === undefined ? {} : { cause }),
  });
}
