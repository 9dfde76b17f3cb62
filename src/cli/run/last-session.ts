import { realpath } from "node:fs/promises";
import { type Client, ClientError, type Session } from "../../client/index.ts";

/** The living session of a directory that was heard last. */
export async function lastIn(client: Client, given: string): Promise<string> {
  const { sessions } = await client.call("session.list", { onlyAlive: true });
  // Sessions know their directory by its real path.
  const cwd = await realpath(given).catch(() => given);
  const here = sessions
    .filter((session) => session.cwd === cwd)
    .sort((one, other) => heardAt(other).localeCompare(heardAt(one)));
  if (here[0] !== undefined) return here[0].id;
  throw new ClientError("session_not_found", {
    message: `No session works in ${cwd}.`,
    remedy: 'Start one: nomos run "..."; `nomos ps` lists the others.',
  });
}

function heardAt({ lastOutputAt, startedAt }: Session): string {
  return lastOutputAt ?? startedAt;
}
