import { parseArguments, usageError } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

export const run: RunCommand = async (terminal, { args }) => {
  const { positionals } = parseArguments(args, {});
  if (positionals[0] !== undefined) throw usageError(`Unexpected argument "${positionals[0]}".`, EVERYDAY.board.usage);
  const { canTalk } = await import("../talk/typing.ts");
  if (!canTalk(terminal))
    throw usageError("The board needs a terminal. `nomos ps` lists the sessions.", EVERYDAY.board.usage);
  const client = await connect(terminal);
  const { openBoard } = await import("../board/board.ts");
  await openBoard(terminal, client);
  return EXIT.ok;
};
