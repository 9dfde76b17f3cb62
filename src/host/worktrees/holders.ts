import { readdir, readlink } from "node:fs/promises";
import { isInside } from "../files/path-inside.ts";

/**
 * Processes whose current directory or open files are in one of the folders: they could still write there after the
 * folder is renamed. No other process can enter then, because that needs the name.
 */
export async function holdersOf(folders: readonly string[]): Promise<readonly number[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter(
    (name) => /^\d+$/.test(name) && Number(name) !== process.pid,
  );
  const held = await Promise.all(pids.map(async (pid) => ({ pid, isHolder: await holds(pid, folders) })));
  return held.filter(({ isHolder }) => isHolder).map(({ pid }) => Number(pid));
}

async function holds(pid: string, folders: readonly string[]): Promise<boolean> {
  const open = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const links = ["cwd", "root", ...open.map((name) => `fd/${name}`)];
  const places = await Promise.all(links.map((name) => readlink(`/proc/${pid}/${name}`).catch(() => "")));
  return places.some((place) => place.startsWith("/") && folders.some((folder) => isInside(folder, place)));
}
