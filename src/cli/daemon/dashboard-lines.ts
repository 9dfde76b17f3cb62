import { ClientError } from "../../client/index.ts";
import type { Terminal } from "../terminal.ts";
import { clientOf } from "./connect.ts";
import { findDaemon } from "./find-daemon.ts";

/**
 * How to open the dashboard: a link where a person sees it, which is at a terminal and with the tour. What a daemon prints
 * elsewhere may end in a log that others read, so there it is only said how to get one.
 */
export async function dashboardLines(terminal: Terminal, tour: boolean): Promise<readonly string[]> {
  const url = terminal.isScreen || tour ? await newLink(terminal) : null;
  if (url === null) return ["open   `nomos open` opens the dashboard in your browser"];
  return [`open   ${url} (once, within ten minutes; then \`nomos open\`)`];
}

/** Null when there is none: a daemon is up also without a link. */
async function newLink(terminal: Terminal): Promise<string | null> {
  const found = await findDaemon(terminal.home);
  if (found === null) return null;
  try {
    const client = await clientOf(terminal, found);
    return (await client.call("dashboard.open", { for: "browser" })).url;
  } catch (thrown) {
    if (thrown instanceof ClientError) return null;
    throw thrown;
  }
}
