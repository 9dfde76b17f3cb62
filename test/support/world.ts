import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from "node:fs";

/** A directory read without any code under test: one line per name. */
export function readWorld(root: string): readonly string[] {
  const lines: string[] = [];
  const inodes = new Map<number, string>();
  const visit = (path: Buffer, shown: string): void => {
    const stat = lstatSync(path);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isDirectory()) {
      lines.push(`${shown}/ ${mode}`);
      const names = readdirSync(path, { encoding: "buffer" }).toSorted(Buffer.compare);
      for (const name of names)
        visit(Buffer.concat([path, Buffer.from("/"), name]), `${shown}/${name.toString("latin1")}`);
      return;
    }
    if (stat.isSymbolicLink()) return void lines.push(`${shown} -> ${readlinkSync(path, { encoding: "latin1" })}`);
    if (stat.isFIFO()) return void lines.push(`${shown} fifo ${mode}`);
    if (stat.isSocket()) return void lines.push(`${shown} socket`);
    const same = stat.nlink > 1 ? (inodes.get(stat.ino) ?? shown) : "";
    inodes.set(stat.ino, same === "" ? shown : same);
    lines.push(`${shown} ${mode} ${stat.size} ${hash("sha256", readFileSync(path))} ${same}`);
  };
  visit(Buffer.from(root), "");
  return lines;
}

export type Chance = () => number;

/** Seeded random numbers (mulberry32). */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const NAMES = ["a", "b", "A", "src", "x.ts", ".git", "with space", "new\nline", "ü", "-rf", "node_modules", "HEAD"].map(
  (name) => Buffer.from(name),
);
const ODD = [Buffer.from([0xff, 0xfe, 0x41]), Buffer.from("caf\xe9", "latin1"), Buffer.from("a\\b"), Buffer.from("*")];
const MODES = [0o644, 0o600, 0o755, 0o400, 0o000, 0o4755, 0o1777, 0o2644, 0o444];
const FOLDER_MODES = [0o755, 0o700, 0o1777, 0o500, 0o2755];

/** A link is created, never followed, so that these changes stay in the tree. */
const WRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;
const TARGETS = [Buffer.from("../.."), Buffer.from("/nonexistent/nomos"), Buffer.from([0xff, 0x2f]), Buffer.from("a")];

/** One random change of the tree, as by a shell. An impossible one is skipped. */
export function disturb(root: string, chance: Chance): void {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)] as T;
  const { folders, files, links } = placesIn(root);
  const folder = pick(folders);
  const place = Buffer.concat([folder, Buffer.from("/"), pick(chance() < 0.15 ? ODD : NAMES)]);
  const file = files.length === 0 ? place : pick(files);
  const other = links.length > 0 && chance() < 0.3 ? pick(links) : file;
  const content = (): Buffer => Buffer.alloc(Math.floor(chance() ** 4 * 40_000), `${chance()}`);
  const write = (to: Buffer, bytes: Uint8Array, more = constants.O_TRUNC): void => {
    const fd = openSync(to, WRITE | more, 0o644);
    writeSync(fd, bytes);
    closeSync(fd);
  };
  const acts: readonly (() => void)[] = [
    () => write(place, content()),
    () => write(place, content()),
    () => write(file, content()),
    () => write(file, Buffer.from("more"), constants.O_APPEND),
    () => void mkdirSync(place, { mode: pick(FOLDER_MODES) }),
    () => void mkdirSync(place),
    () => rmSync(other, { recursive: true }),
    () => {
      if (folder !== folders[0] && chance() < 0.3) rmSync(folder, { recursive: true });
    },
    () => renameSync(other, place),
    () => renameSync(folder, place),
    () => symlinkSync(pick(TARGETS), place),
    () => linkSync(file, place),
    () => {
      if (lstatSync(file).isFile()) chmodSync(file, pick(MODES));
    },
    () => chmodSync(folder, pick(FOLDER_MODES)),
    () => {
      if (chance() < 0.2) spawnSync("mkfifo", ["pipe"], { cwd: root });
    },
    () => {
      rmSync(other, { recursive: true });
      mkdirSync(other);
    },
    // The same size at the same time: only the bytes show the change.
    () => write(file, Buffer.alloc(lstatSync(file).size, `${chance()}`)),
  ];
  try {
    pick(acts)();
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

interface Places {
  readonly folders: readonly Buffer[];
  readonly files: readonly Buffer[];
  readonly links: readonly Buffer[];
}

function placesIn(root: string): Places {
  const places = { folders: [] as Buffer[], files: [] as Buffer[], links: [] as Buffer[] };
  const visit = (path: Buffer): void => {
    places.folders.push(path);
    for (const name of readdirSync(path, { encoding: "buffer" })) {
      const inner = Buffer.concat([path, Buffer.from("/"), name]);
      const stat = lstatSync(inner);
      if (stat.isDirectory()) visit(inner);
      else if (stat.isSymbolicLink()) places.links.push(inner);
      else if (stat.isFile()) places.files.push(inner);
    }
  };
  visit(Buffer.from(root));
  return places;
}
