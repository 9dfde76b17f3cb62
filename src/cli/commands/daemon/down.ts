import { stopDaemon } from "../../daemon/stop-daemon.ts";
import { EXIT, type RunCommand } from "../../terminal.ts";

export const run: RunCommand = async (terminal, { json }) => {
  const stopped = await stopDaemon(terminal);
  if (json) terminal.printJson({ ok: true, pid: stopped?.pid ?? null });
  else terminal.print(stopped === null ? "no daemon ran" : `nomos is down (pid ${stopped.pid})`);
  return EXIT.ok;
};
