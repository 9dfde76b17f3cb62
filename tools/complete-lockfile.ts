/**
 * `npm run lock`: run it after each `npm install` that changed package-lock.json.
 *
 * Packages with a binary per platform list all of them as optional dependencies. If the registry lacks one, npm leaves
 * it
 * out of the lockfile, and `npm ci` then says that the lockfile does not match package.json. This adds the missing ones
 * with their exact version and platform, and without a hash, since there are no bytes to hash. npm skips them on other
 * platforms.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
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
  writeFileSync(file, `${JSON.stringify(completeLockfile(lockfile), null, 2)}\n`);
}
