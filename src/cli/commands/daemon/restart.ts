import { clientOf } from "../../daemon/connect.ts";
import { openLockedVault } from "../../daemon/open-locked-vault.ts";
import { startDetached } from "../../daemon/start-detached.ts";
import { stopDaemon } from "../../daemon/stop-daemon.ts";
import type { RunCommand } from "../../terminal.ts";
import { announce } from "./up.ts";

export const run: RunCommand = async (terminal, { json }) => {
  const stopped = await stopDaemon(terminal);
  const started = await startDetached(terminal, { port: stopped?.port ?? null, tour: false });
  const exitCode = announce(terminal, started, json, stopped === null ? "is up; no daemon ran before" : "is up again");
  if (!json) await openLockedVault(terminal, await clientOf(terminal, started));
  return exitCode;
};
