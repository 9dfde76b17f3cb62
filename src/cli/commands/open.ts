import { connect } from "../daemon/connect.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

export const run: RunCommand = async (terminal, { json }) => {
  const { url } = await connect(terminal);
  terminal.print(json ? JSON.stringify({ url }) : url);
  return EXIT.ok;
};
