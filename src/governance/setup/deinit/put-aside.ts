import { randomUUID } from "node:crypto";
import { mkdir, rename, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { type PersonCheckout, removeTree } from "../../../host/index.ts";
import { LAW_DIR } from "../../repository/law-path.ts";

/** Entries of the law's folder that were moved out of sight. One of the two has to be called. */
export interface PutAside {
  readonly drop: () => Promise<void>;
  readonly restore: () => Promise<void>;
}

/** Moves them into the git dir, or beside the folder where that is another disk. An empty folder goes too. */
export async function putAside({ root, repository }: PersonCheckout, entries: readonly string[]): Promise<PutAside> {
  const folder = join(root, LAW_DIR);
  const name = `nomos-removed-${randomUUID()}`;
  for (const place of [join(repository.gitDir, name), `${folder}.${name}`]) {
    const moved: string[] = [];
    const restore = async (): Promise<void> => {
      if (moved.length > 0) await mkdir(folder, { recursive: true });
      for (const entry of moved) await rename(join(place, entry), join(folder, entry));
      await removeTree(place);
    };
    await mkdir(place, { mode: 0o700 });
    try {
      for (const entry of entries) if (await move(join(folder, entry), join(place, entry))) moved.push(entry);
      await rmdir(folder).catch(unless("ENOENT", "ENOTEMPTY", "EEXIST"));
      return { drop: async () => void (await removeTree(place)), restore };
    } catch (thrown) {
      await restore();
      unless("EXDEV")(thrown);
    }
  }
  throw new Error(`${folder} cannot be moved, not even beside itself`);
}

/** False: it is not there. */
function move(from: string, to: string): Promise<boolean> {
  return rename(from, to).then(
    () => true,
    (thrown: unknown) => {
      unless("ENOENT", "ENOTDIR")(thrown);
      return false;
    },
  );
}

const unless =
  (...codes: readonly string[]) =>
  (thrown: unknown): void => {
    if (!(thrown instanceof Error && "code" in thrown && codes.includes(String(thrown.code)))) throw thrown;
  };
