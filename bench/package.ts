import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "../tools/bundle.ts";

/** The package as it is installed: bin/, dist/ and package.json in a folder of their own. */
export interface Package {
  readonly root: string;
  /** Null while there is no command line to bundle. */
  readonly cli: string | null;
  /** The arguments behind `node` that start a daemon in the foreground. */
  readonly daemonArguments: (home: string, port: number) => readonly string[];
}

const ROOT = join(import.meta.dirname, "..");

/** As in tools/build.ts, which writes into dist/ of the checkout; a measurement must not depend on when that was last run. */
const ENTRIES: Readonly<Record<string, string>> = {
  cli: "src/cli/main.ts",
  daemon: "src/app/index.ts",
  "writer-thread": "src/store/sqlite/writer-thread.ts",
  "reader-thread": "src/store/sqlite/reader-thread.ts",
  "export-thread": "src/store/sqlite/export-thread.ts",
  "copy-thread": "src/store/sqlite/copy-thread.ts",
  "script-host": "src/drivers/script/host-process.ts",
};

/** For as long as there is no command line that could start one. */
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
  await bundle({ root: ROOT, outDir: join(root, "dist"), entries: Object.fromEntries(entries) });
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
