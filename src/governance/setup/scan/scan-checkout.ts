import { readdir } from "node:fs/promises";
import { HostError, type PersonCheckout, systemFiles } from "../../../host/index.ts";
import { LAW_DIR } from "../../repository/law-path.ts";
import { type Scan, scanFiles } from "./scan-files.ts";

const FILE_BYTES_MAX = 262_144;

/** What git tracks or would track, and what lies at the root although it is ignored, such as keys. */
export async function scanCheckout({ root, files }: Pick<PersonCheckout, "root" | "files">): Promise<Scan> {
  const system = systemFiles();
  const beside = await readdir(root, { withFileTypes: true });
  const atRoot = beside.filter((one) => one.isFile()).map(({ name }) => name);
  const known = [...new Set([...(await files()), ...atRoot])].filter((path) => !path.startsWith(`${LAW_DIR}/`));
  return scanFiles({
    files: known,
    read: (path) => system.read(root, path, FILE_BYTES_MAX).catch(orUnread),
  });
}

/** A link that leads out, a file that is too large or gone, is not read: it says nothing. */
function orUnread(thrown: unknown): null {
  if (thrown instanceof HostError) return null;
  if (thrown instanceof Error && "code" in thrown && ["ENOENT", "ENOTDIR", "EACCES"].includes(String(thrown.code)))
    return null;
  throw thrown;
}
