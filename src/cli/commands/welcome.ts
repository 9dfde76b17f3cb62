import { ClientError } from "../../client/index.ts";
import { canTalk } from "../talk/typing.ts";
import { EXIT, type RunCommand } from "../terminal.ts";
import { run as board } from "./board.ts";
import { run as status } from "./daemon/status.ts";
import { run as help } from "./help.ts";

/** Bare `nomos`: the board on a terminal; elsewhere a short status and the next commands to try. */
export const run: RunCommand = async (terminal, invocation) => {
  if (!invocation.json && canTalk(terminal)) return board(terminal, invocation);
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
