import type { RunCommand } from "../terminal.ts";

export const run: RunCommand = async ({ version, print, printJson }, { json }) => {
  if (json) printJson({ version });
  else print(`nomos ${version}`);
  return 0;
};
