import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "../tools/bundle.ts";
import { bundleWeb } from "../tools/bundle-web.ts";
import { ENTRIES, EXTERNAL } from "../tools/entries.ts";

/** The package as installed: bin/, dist/ and package.json in a folder. */
export interface Package {
  readonly root: string;
  /** Null while there is no command line to bundle. */
  readonly cli: string | null;
  /** The arguments after `node` that start a daemon in the foreground. */
  readonly daemonArguments: (home: string, port: number) => readonly string[];
}

const ROOT = join(import.meta.dirname, "..");

/** Used while no command line can start one. */
const DAEMON = `import { startDaemon } from "./dist/daemon.js";
const [home, port] = process.argv.slice(2);
const daemon = await startDaemon({
  home, port: Number(port), version: "bench", environment: process.env, cwd: process.cwd(), tour: false,
  echo: () => undefined, die: (code) => process.exit(code),
});
process.on("SIGTERM", () => daemon.stop().then(() => process.exit(0)));
daemon.stopAsked.then(() => daemon.stop()).then(() => process.exit(0));
`;

export function createPackager(scratch: string): () => Promise<Package> {
  let made: Promise<Package> | null = null;
  return () => {
    made ??= makePackage(join(scratch, "package"));
    return made;
  };
}

async function makePackage(root: string): Promise<Package> {
  mkdirSync(root);
  const entries = Object.entries(ENTRIES).filter(([, source]) => existsSync(join(ROOT, source)));
  const outDir = join(root, "dist");
  await bundle({ root: ROOT, outDir, entries: Object.fromEntries(entries), external: EXTERNAL });
  await bundleWeb({ root: ROOT, outDir });
  cpSync(join(ROOT, "bin"), join(root, "bin"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(root, "package.json"));
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  writeFileSync(join(root, "daemon.js"), DAEMON);
  const bin = join(root, "bin", "nomos.js");
  const hasCli = existsSync(join(root, "dist", "cli.js"));
  return {
    root,
    cli: hasCli ? bin : null,
    daemonArguments: (home, port) =>
      hasCli ? [bin, "up", "--port", String(port)] : [join(root, "daemon.js"), home, String(port)],
  };
}
