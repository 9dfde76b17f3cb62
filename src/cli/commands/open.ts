import { connect } from "../daemon/connect.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

export const run: RunCommand = async (terminal, { json }) => {
  const { url } = await connect(terminal);
  if (json) terminal.printJson({ url });
  else terminal.print(url);
  return EXIT.ok;
};
