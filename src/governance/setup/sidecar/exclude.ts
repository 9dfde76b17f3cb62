import { chmod, chown, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFileAtomic } from "../../../host/index.ts";
import { makeFolders } from "../../../store/index.ts";
import { LAW_DIR } from "../../repository/law-path.ts";

const LINE = `/${LAW_DIR}/`;
const MARK = "# A law of Nomos in a branch of its own is mounted here.";

/** Git's own list of what it does not show, which is in no commit. Returns whether it changed. */
export async function excludeLaw(commonDir: string): Promise<boolean> {
  const { path, text } = await excludes(commonDir);
  if (text?.split("\n").includes(LINE) === true) return false;
  const before = text === null || text === "" || text.endsWith("\n") ? (text ?? "") : `${text}\n`;
  await write(path, `${before}${MARK}\n${LINE}\n`);
  return true;
}

/** The file is as it was before; one that held nothing else goes. */
export async function includeLaw(commonDir: string): Promise<void> {
  const { path, text } = await excludes(commonDir);
  if (text === null) return;
  const kept = text.replace(`${MARK}\n${LINE}\n`, "");
  if (kept === text) return;
  if (kept === "") await rm(path, { force: true });
  else await write(path, kept);
}

async function excludes(commonDir: string): Promise<{ readonly path: string; readonly text: string | null }> {
  const path = join(commonDir, "info", "exclude");
  const text = await readFile(path, "utf8").catch((thrown: unknown) => {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return null;
    throw thrown;
  });
  return { path, text };
}

async function write(path: string, text: string): Promise<void> {
  makeFolders(dirname(path), 0o755);
  const { uid, gid } = await stat(dirname(path));
  const found = await stat(path).catch(() => null);
  await writeFileAtomic(path, text, { mode: 0o644 });
  if (found !== null) await chmod(path, found.mode & 0o777);
  if (process.getuid?.() === 0) await chown(path, uid, gid);
}
