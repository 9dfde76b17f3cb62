import { constants } from "node:fs";
import { access, chmod, readFile, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { jsonFault } from "../../domains/index.ts";
import { shellQuoted } from "../screen/shell-quoted.ts";
import { type Check, fine, problem, warning } from "./check.ts";

const OTHERS = 0o077;
const DISK_BYTES_MIN = 52_428_800;
const DISK_BYTES_LOW = 1_073_741_824;
const NODE_MAJOR_MIN = 24;

/** Checks the machine and the home from this process; with `repair`, fixes permissions. */
export async function homeChecks(home: string, repair: boolean): Promise<readonly Check[]> {
  const found = await stat(home).catch(() => null);
  if (found === null) return [node(), warning("home", `${home} does not exist yet`, "run: nomos up")];
  if (!found.isDirectory()) return [node(), problem("home", `${home} is not a directory`, "Set another $NOMOS_HOME.")];
  return [
    node(),
    await permissions("home", home, 0o700, repair),
    await writable(home),
    await token(home, repair),
    await config(home),
    await disk(home),
  ];
}

function node(): Check {
  const { node: version } = process.versions;
  const major = Number(version.split(".")[0]);
  if (major >= NODE_MAJOR_MIN) return fine("node", version);
  return problem("node", `${version} is too old`, `Install Node ${NODE_MAJOR_MIN} or newer.`);
}

async function permissions(name: string, path: string, mode: number, repair: boolean): Promise<Check> {
  if (repair) await chmod(path, mode);
  const found = (await stat(path)).mode & 0o777;
  if ((found & OTHERS) === 0) return fine(name, `${path}, only its owner can read it`);
  return problem(
    name,
    `other users can read ${path} (mode ${found.toString(8)})`,
    `run: chmod ${mode.toString(8)} ${shellQuoted(path)}`,
  );
}

async function writable(home: string): Promise<Check> {
  const isWritable = await access(home, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (isWritable) return fine("write", "the home is writable");
  return problem(
    "write",
    `${home} is not writable`,
    "Give this user write access to $NOMOS_HOME, or set another $NOMOS_HOME.",
  );
}

async function token(home: string, repair: boolean): Promise<Check> {
  const path = join(home, "token");
  const found = await stat(path).catch(() => null);
  return found === null
    ? warning("token", "there is no token yet", "run: nomos up")
    : permissions("token", path, 0o600, repair);
}

const CONFIG_BYTES_MAX = 4_194_304;

/** The daemon reads it once, at its start: a mistake made since then would stop the next one. */
async function config(home: string): Promise<Check> {
  const path = join(home, "config.json");
  const found = await stat(path).catch(() => null);
  if (found === null) return fine("config", "there is no config.json; all settings have their defaults");
  if (!found.isFile() || found.size > CONFIG_BYTES_MAX)
    return problem("config", `${path} is not a file that can be read`, "Make it a file, or move it away.");
  try {
    const text = await readFile(path, "utf8");
    const fault = jsonFault(text);
    if (fault === null) return fine("config", "config.json is valid JSON");
    const place = `config.json, line ${fault.line}, column ${fault.column}`;
    return problem("config", `${place}: this is not JSON`, `Correct ${path}, or move it away.`);
  } catch (cause) {
    return problem("config", `${path} cannot be read: ${String(cause)}`, "Make it a readable file, or move it away.");
  }
}

async function disk(home: string): Promise<Check> {
  const { bavail, bsize } = await statfs(home);
  const free = bavail * bsize;
  const spelled = `${Math.floor(free / 1_048_576)} MiB free`;
  if (free < DISK_BYTES_MIN) return problem("disk", spelled, "Free some space: on a full disk nothing can be written.");
  return free < DISK_BYTES_LOW ? warning("disk", spelled, "Free some space soon.") : fine("disk", spelled);
}
