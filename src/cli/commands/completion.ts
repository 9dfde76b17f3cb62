import { usageError } from "../arguments.ts";
import { completionScript, SHELLS } from "../completion/scripts.ts";
import { EVERYDAY } from "../everyday.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

export const run: RunCommand = async (terminal, { args, json }) => {
  const shell = SHELLS.find((one) => one === args[0]);
  if (shell === undefined || args.length > 1)
    throw usageError(`Name a shell: ${SHELLS.join(", ")}.`, EVERYDAY.completion.usage);
  const script = completionScript(shell);
  if (json) terminal.printJson({ shell, script });
  else terminal.printContent(script);
  return EXIT.ok;
};
