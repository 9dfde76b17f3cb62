/**
 * `npm run lock`: run it after each `npm install` that changed package-lock.json.
 *
 * Packages with a binary per platform name all of them as optional dependencies. A registry that does not carry one makes
 * npm leave it out of the lockfile, and `npm ci` then calls the lockfile out of step with package.json. This adds what was
 * left out, with its exact version and platform, and with its hash where the configured registry knows one. An entry
 * that stays without a hash is skipped wherever the platform is another one; test/lockfile.test.ts says which may.
 */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly os?: readonly string[];
  readonly dev?: boolean;
  readonly peer?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export function completeLockfile<L extends Lockfile>(lockfile: L): L {
  const isLocked = (path: string): boolean => path in lockfile.packages;
  const added = Object.entries(lockfile.packages).flatMap(([path, owner]) =>
    Object.entries(owner.optionalDependencies ?? {})
      .filter(([name]) => !isLocked(`node_modules/${name}`) && !isLocked(`${path}/node_modules/${name}`))
      .map(([name, version]) => [`node_modules/${name}`, platformPackage(name, version, owner)] as const),
  );
  const packages = [...Object.entries(lockfile.packages), ...added].sort(([a], [b]) => a.localeCompare(b, "en"));
  return { ...lockfile, packages: Object.fromEntries(packages) };
}

/** Packages out of a registry whose bytes nothing in the lockfile vouches for. */
export function withoutHash({ packages }: Lockfile): readonly string[] {
  return Object.entries(packages).flatMap(([path, { integrity, link }]) =>
    path.startsWith("node_modules/") && integrity === undefined && link !== true ? [path] : [],
  );
}

export type HashOf = (name: string, version: string) => Promise<string | null>;

/** Fills in what `hashOf` knows. A hash that is there is never replaced. */
export async function addHashes<L extends Lockfile>(lockfile: L, hashOf: HashOf): Promise<L> {
  const packages = { ...lockfile.packages };
  const addOne = async (path: string): Promise<void> => {
    const entry = packages[path] ?? {};
    const { version, ...rest } = entry;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const integrity = version === undefined ? null : await hashOf(name, version);
    if (version !== undefined && integrity !== null) packages[path] = { version, integrity, ...rest };
  };
  for (const path of withoutHash(lockfile)) await addOne(path);
  return { ...lockfile, packages };
}

/** Null where the registry does not carry it. */
const hashInRegistry: HashOf = async (name, version) => {
  const args = ["view", `${name}@${version}`, "dist.integrity", "--silent"];
  const { stdout } = await promisify(execFile)("npm", args).catch(() => ({ stdout: "" }));
  const [found] = /^sha512-[A-Za-z0-9+/]+={0,2}$/m.exec(stdout) ?? [];
  return found ?? null;
};

const OS_NAMES = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const CPU_NAMES = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

/** The names of these packages contain their platform: `@scope/binding-linux-arm64-musl`. */
function platformPackage(name: string, version: string, { dev, peer }: LockedPackage): LockedPackage {
  const words = name.replace(/^@[^/]+\//, "").split("-");
  const cpu = words.filter((word) => CPU_NAMES.includes(word));
  const os = words.filter((word) => OS_NAMES.includes(word));
  const libc = words.flatMap((word) => (word.startsWith("musl") ? "musl" : word.startsWith("gnu") ? "glibc" : []));
  if (cpu.length === 0) throw new Error(`${name} is not locked and its name tells no platform: see npm install`);
  return {
    version,
    cpu,
    ...(dev ? { dev } : {}),
    ...(libc.length > 0 ? { libc } : {}),
    optional: true,
    ...(os.length > 0 ? { os } : {}),
    ...(peer ? { peer } : {}),
  };
}

if (import.meta.main) {
  const file = join(import.meta.dirname, "..", "package-lock.json");
  const lockfile: Lockfile = JSON.parse(readFileSync(file, "utf8"));
  const hashed = await addHashes(completeLockfile(lockfile), hashInRegistry);
  writeFileSync(file, `${JSON.stringify(hashed, null, 2)}\n`);
  for (const path of withoutHash(hashed)) console.log(`no hash: ${path}`);
}
