import { readdir, readFile, readlink } from "node:fs/promises";

/** TCP ports that these processes listen on, in whatever network they are. Linux only; elsewhere none are known. */
export async function listeningPorts(pids: readonly number[]): Promise<readonly number[]> {
  const ports = await Promise.all(pids.map(portsOf));
  return [...new Set(ports.flat())].toSorted((a, b) => a - b);
}

async function portsOf(pid: number): Promise<readonly number[]> {
  const inodes = new Set(await socketsOf(pid));
  if (inodes.size === 0) return [];
  const tables = await Promise.all(TABLES.map((name) => readFile(`/proc/${pid}/net/${name}`, "utf8").catch(() => "")));
  return tables.flatMap((table) => table.split("\n").flatMap((line) => portIn(line, inodes)));
}

const TABLES = ["tcp", "tcp6"];
const LISTENING = "0A";

function portIn(line: string, inodes: ReadonlySet<string>): readonly number[] {
  const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
  return state === LISTENING && inodes.has(inode) ? [Number.parseInt(local.split(":")[1] ?? "", 16)] : [];
}

/** A process that has ended has no sockets. */
async function socketsOf(pid: number): Promise<readonly string[]> {
  const names = await readdir(`/proc/${pid}/fd`).catch((): string[] => []);
  const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")));
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}
