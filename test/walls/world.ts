import { execFileSync, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { expectOk, prompt, type Session, start, turn } from "../e2e/support/talk.ts";
import { BIN, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { layDecoys } from "./decoys.ts";
import { type Ears, openEars } from "./ears.ts";

/** Everything that a session must not reach, as decoys, and a daemon whose sessions try. */
export interface World extends AsyncDisposable {
  readonly root: string;
  readonly work: string;
  readonly secret: string;
  /** Prefix of planted names. */
  readonly mark: string;
  readonly daemon: TestDaemon;
  readonly ears: Ears;
  /** What an attacker may know: names and paths, no secret. */
  readonly known: Readonly<Record<string, string>>;
  /** The environment of the daemon and of processes without walls. */
  readonly env: Readonly<Record<string, string>>;
}

export interface WorldOptions {
  /** For the daemon's `config.json`. */
  readonly config?: (root: string) => Readonly<Record<string, unknown>>;
}

export async function makeWorld({ config = () => ({}) }: WorldOptions = {}): Promise<World> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "walls-")));
  const [tag, secret] = [randomBytes(4).toString("hex"), `secret-${randomUUID()}`];
  await using made = new AsyncDisposableStack();
  made.defer(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  const [work, outside, person, home] = ["work", "outside", "person", "home"].map((name) => join(root, name));
  if (work === undefined || outside === undefined || person === undefined || home === undefined) throw new Error(root);
  const decoys = layDecoys({ root, tag, secret });
  made.defer(decoys.clear);
  const ears = made.use(await openEars({ outside, tag, secret }));
  const python = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();
  const helper = made.use(await startHelper({ python, root, tag, secret, onHeard: ears.hear }));
  const env = {
    PATH: [join(person, "bin"), dirname(process.execPath), dirname(python), process.env["PATH"] ?? ""].join(":"),
    HOME: person,
    DECOY_API_KEY: secret,
    SSH_AUTH_SOCK: join(outside, "agent.sock"),
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(outside, "bus.sock")}`,
    DISPLAY: ":99",
    XDG_RUNTIME_DIR: join(outside, "runtime"),
  };
  await mkdir(home, { mode: 0o700 });
  writeFileSync(join(home, "config.json"), JSON.stringify(config(root)));
  const daemon = made.use(await startDaemon({ home, env, outlivesTest: true }));
  const others = await startOthers(daemon, { cwd: join(root, "other"), words: `${decoys.word} ${secret}` });
  const known = {
    ...{ TAG: tag, ROOT: root, WORK: work, D: outside, S: join(outside, "secret"), PERSON: person, NOMOS: home },
    ...{ OTHER: join(root, "other"), OTHER_BLOB: decoys.otherBlob, DRIVER: join(root, "driver", "driver.ts") },
    ...{
      PYTHON: python,
      NODE: process.execPath,
      NOMOS_BIN: BIN,
      NOMOS_API: daemon.url,
      DAEMON_PID: String(daemon.pid),
      WORD: decoys.word,
    },
    ...others,
    ...helper.known,
    ...ears.known,
  };
  const kept = made.move();
  return {
    ...{ root, work, secret, mark: `planted-${tag}`, daemon, ears, known, env },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Other sessions that the attacker must not reach: one with text, one to be ended, one that holds a token. */
async function startOthers(daemon: TestDaemon, { cwd, words }: { readonly cwd: string; readonly words: string }) {
  const other = await start(daemon, { cwd });
  await turn(daemon, other.id, `say ${words}`);
  const doomed = expectOk(await daemon.call<Session>("POST", "/sessions/agent", { adapter: "demo" }), 201);
  const file = join(cwd, "..", "driver", "waiting.ts");
  writeFileSync(file, "export default () => new Promise(() => setInterval(() => undefined, 1000));");
  const sibling = await start(daemon, { adapter: "script", file, cwd });
  await prompt(daemon, sibling.id, "wait");
  return { OTHER_SESSION: other.id, DOOMED_SESSION: doomed.id, SIBLING_SESSION: sibling.id };
}

const HELPER_END_MAX_MS = 2_000;

interface HelperOrder {
  readonly python: string;
  readonly root: string;
  readonly tag: string;
  readonly secret: string;
  readonly onHeard: (text: string) => void;
}

async function startHelper({ python, root, tag, secret, onHeard }: HelperOrder) {
  const child = spawn(python, [join(import.meta.dirname, "helper.py"), root, tag, secret], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { HELPER_SECRET: secret },
  });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const [first]: string[] = await once(lines, "line");
  const known: Record<string, unknown> = JSON.parse(first ?? "{}");
  lines.on("line", (line) => onHeard(line));
  return {
    known: Object.fromEntries(Object.entries(known).map(([name, value]) => [name, String(value)])),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      // A tracer may have left it stopped, and the test must not wait for it.
      child.kill("SIGCONT");
      const late = setTimeout(() => child.kill("SIGKILL"), HELPER_END_MAX_MS);
      await exited;
      clearTimeout(late);
    },
  };
}
