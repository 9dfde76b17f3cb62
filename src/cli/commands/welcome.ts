import { ClientError } from "../../client/index.ts";
import { EXIT, type RunCommand } from "../terminal.ts";
import { run as status } from "./daemon/status.ts";
import { run as help } from "./help.ts";

/** Bare `nomos`: a short status and the next commands to try. */
export const run: RunCommand = async (terminal, invocation) => {
  try {
    await status(terminal, invocation);
  } catch (thrown) {
    if (!(thrown instanceof ClientError) || thrown.code !== "daemon_unreachable" || invocation.json) throw thrown;
    terminal.print(`${thrown.message} ${thrown.remedy}`);
  }
  if (invocation.json) return EXIT.ok;
  terminal.print("");
  return help(terminal, invocation);
};
