import { type HeldFolder, holdFolder } from "./held-folder.ts";

const SET_ID = 0o6000;

export function hasSetId(mode: number): boolean {
  return (mode & SET_ID) !== 0;
}

/** Removes the set-id bits of these files below a directory, without following links. Returns how many had any. */
export async function stripSetId(root: string, names: readonly string[]): Promise<number> {
  let stripped = 0;
  for (const name of names) if (await stripOne(root, Buffer.from(name, "latin1"))) stripped += 1;
  return stripped;
}

async function stripOne(root: string, name: Buffer): Promise<boolean> {
  const parts = name.toString("latin1").split("/");
  const file = parts.pop() ?? "";
  let folder: HeldFolder | null = await holdFolder(root);
  for (const part of parts) {
    const next: HeldFolder | null = (await folder?.inner(Buffer.from(part, "latin1"))) ?? null;
    await folder?.[Symbol.asyncDispose]();
    folder = next;
  }
  try {
    await using handle = (await folder?.file(Buffer.from(file, "latin1"))) ?? null;
    if (handle === null) return false;
    const { mode } = await handle.stat();
    if (!hasSetId(mode)) return false;
    await handle.chmod(mode & 0o1777);
    return true;
  } finally {
    await folder?.[Symbol.asyncDispose]();
  }
}
