/** `nomos/client` as Node loads it: finds the daemon of a home. It starts none: a program is not told what started. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { ClientError, type Connect, createNomos, type Fetch, isMissing } from "../../client/index.ts";
import { noDaemon, readToken } from "./connect.ts";
import { type FoundDaemon, findDaemon, readNote } from "./find-daemon.ts";
import { nodeFetch } from "./transport.ts";

export { ClientError };

export const connect: Connect = async (options = {}) => {
  const { retriesMax, onUnknown, home = homeOf(process.env) } = options;
  const named = options.url === undefined && options.home === undefined ? insideSession(process.env) : options;
  const token = options.token ?? named.token;
  if (named.url !== undefined) {
    // The operator's token of this home is sent to nobody but its own daemon.
    if (token === undefined) throw isMissing("token");
    return createNomos({ url: named.url, token, retriesMax, onUnknown, fetch: options.fetch });
  }
  const found = await findDaemon(home);
  if (found === null) throw noDaemon(home);
  const fetch = options.fetch ?? fetchOf(home, found);
  return createNomos({ url: found.url, token: token ?? (await readToken(home)), retriesMax, onUnknown, fetch });
};

/** Inside a session the environment holds the daemon's address and a token for that session. */
function insideSession({ NOMOS_URL, NOMOS_TOKEN }: NodeJS.ProcessEnv): { url?: string; token?: string } {
  return NOMOS_URL && NOMOS_TOKEN ? { url: NOMOS_URL, token: NOMOS_TOKEN } : {};
}

function homeOf({ NOMOS_HOME }: NodeJS.ProcessEnv): string {
  return NOMOS_HOME ? resolve(NOMOS_HOME) : join(homedir(), ".nomos");
}

/** A daemon that was restarted may listen elsewhere: after a failure the next attempt looks where it is now. */
function fetchOf(home: string, first: FoundDaemon): Fetch {
  let found = first;
  return async (url, init) => {
    try {
      return await nodeFetch(found.socket)(url.replace(first.url, found.url), init);
    } catch (thrown) {
      found = (await readNote(home)) ?? found;
      throw thrown;
    }
  };
}
