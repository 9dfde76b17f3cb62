import type { RepositoryView } from "../../git/repository-view.ts";
import { HostError } from "../../host-error.ts";
import type { Change, TakenChange } from "../take-changes.ts";

const IMPORT_TIMEOUT_MS = 60_000;
const SUBMODULE_MODE = "160000";

/**
 * Writes a commit: the base with these changes. Only the folders of changed files are read and written, whatever the size
 * of the tree. The same changes give the same commit.
 */
export async function writeCommit(
  { git }: Pick<RepositoryView, "git">,
  base: string | null,
  changes: readonly (Change | TakenChange)[],
): Promise<string> {
  const parts: (string | Buffer)[] = [
    "commit refs/radar\nmark :1\ncommitter radar <radar@localhost> 0 +0000\ndata 0\n",
  ];
  if (base !== null) parts.push(`from ${base}\n`);
  // Removals first: a file may stand where a folder was.
  for (const { path, entry } of changes) if (entry === null) parts.push(`D ${quoted(path)}\n`);
  for (const change of changes) {
    const { path, entry } = change;
    if (entry === null || entry.mode === SUBMODULE_MODE) continue;
    const content = "content" in change ? change.content : null;
    if (content === null) parts.push(`M ${entry.mode} ${entry.id} ${quoted(path)}\n`);
    else parts.push(`M ${entry.mode} inline ${quoted(path)}\ndata ${content.length}\n`, content, "\n");
  }
  parts.push("get-mark :1\n", "reset refs/radar\nfrom 0000000000000000000000000000000000000000\n\n", "done\n");
  const input = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
  // Lost with the power, it is made again.
  const settings = ["-c", "core.fsync=none", "-c", "fastimport.unpackLimit=1"];
  const told = await git.text([...settings, "fast-import", "--quiet", "--done", "--force"], {
    input,
    timeoutMs: IMPORT_TIMEOUT_MS,
  });
  const id = told.trim();
  if (ID.test(id)) return id;
  throw new HostError("git_failed", "git fast-import named no commit", { remedy: "try again" });
}

const ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** As git reads names in quotes. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
