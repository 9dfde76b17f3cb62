import { parseArguments, parsePort, usageError } from "../../arguments.ts";
import { clientOf } from "../../daemon/connect.ts";
import { dashboardLines } from "../../daemon/dashboard-lines.ts";
import { type FoundDaemon, findDaemon, spellAddress } from "../../daemon/find-daemon.ts";
import { openLockedVault } from "../../daemon/open-locked-vault.ts";
import { EVERYDAY } from "../../everyday.ts";
import { EXIT, type RunCommand, type Terminal } from "../../terminal.ts";

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    detach: { type: "boolean", short: "d" },
    port: { type: "string", short: "p" },
    tour: { type: "boolean" },
    verbose: { type: "boolean" },
  });
  if (positionals[0] !== undefined) throw usageError(`Unexpected argument "${positionals[0]}".`, EVERYDAY.up.usage);
  const port = parsePort(values.port, "--port") ?? parsePort(terminal.environment["NOMOS_PORT"], "$NOMOS_PORT");
  const tour = values.tour === true;
  if (values.detach !== true) {
    const { serve } = await import("../../daemon/serve.ts");
    return serve(terminal, { port, tour, json, verbose: values.verbose === true });
  }
  const running = await findDaemon(terminal.home);
  if (running !== null) return announce(terminal, running, json, "is up already");
  const { startDetached } = await import("../../daemon/start-detached.ts");
  const started = await startDetached(terminal, { port, tour });
  announce(terminal, started, json, "is up");
  if (!json) for (const line of await dashboardLines(terminal, tour)) terminal.print(line);
  if (!json) await openLockedVault(terminal, await clientOf(terminal, started));
  if (tour && !json) await printTour(terminal, started);
  return EXIT.ok;
};

export function announce(terminal: Terminal, daemon: FoundDaemon, json: boolean, is: string): number {
  const { pid, port, url, version } = daemon;
  if (json) terminal.printJson({ pid, port, url, version, home: terminal.home });
  else terminal.print(`nomos ${version} ${is}: ${spellAddress(port)} (pid ${pid})`);
  return EXIT.ok;
}

async function printTour(terminal: Terminal, daemon: FoundDaemon): Promise<void> {
  const { tourLines } = await import("../../print/tour-lines.ts");
  const client = await clientOf(terminal, daemon);
  const { sessions } = await client.call("session.list", { onlyAlive: true });
  const session = sessions.find(({ label, adapterSlug }) => label === "tour" && adapterSlug === "demo");
  if (session !== undefined) for (const line of tourLines(terminal, session.name)) terminal.print(line);
}
