import { join } from "node:path";
import type { Workspaces } from "../../domains/index.ts";
import { writeFileAtomic } from "../../host/index.ts";

const FORMAT_VERSION = 1;

/** The workspace registry in the format of AIP-46, for other programs. Written after each change, never read. */
export function workspaceFile(home: string): (workspaces: Workspaces) => Promise<void> {
  const path = join(home, "workspaces.json");
  return async ({ list, active }) => {
    const workspaces = list.map(({ label, ...rest }) => (label === null ? rest : { ...rest, label }));
    const text = JSON.stringify({ version: FORMAT_VERSION, active, workspaces }, null, 2);
    await writeFileAtomic(path, Buffer.from(`${text}\n`), { mode: 0o600 });
  };
}
