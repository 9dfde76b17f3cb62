import type { RunCommand } from "../terminal.ts";

export const run: RunCommand = async ({ version, print }, { json }) => {
  print(json ? JSON.stringify({ version }) : `nomos ${version}`);
  return 0;
};
