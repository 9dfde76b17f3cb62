import { existsSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { environment, startDaemon } from "../daemon.ts";
import { FAKE_AGENT, homeWithFakeAgent } from "../fake-agents.ts";
import { type Bench, type Figure, timedMs } from "../harness.ts";
import { ended, spawnOwned } from "../processes.ts";
import { folderMaker, peerEnvironment } from "./environment.ts";
import { versus } from "./turns.ts";

const COMMAND_MAX_MS = 60_000;
/** acpx's own limit for its process in the background, should this one be killed before it can end it. */
const IDLE_MAX_S = "120";
const ROUNDS = { warmUp: 1, measured: 9 };
const QUICK = { warmUp: 1, measured: 2 };
const PROMPT = "say hello";

/** acpx from the shell, with the same agent behind it as behind our command line. */
export async function measureAcpx(bench: Bench, modules: string): Promise<readonly Figure[]> {
  const made = await bench.product();
  if (made.cli === null) throw new Error("there is no command line to bundle");
  const folder = folderMaker(bench.scratch, "acpx");
  const [ours, theirs, home] = [folder("ours"), folder("theirs"), folder("home")];
  const nomosHome = homeWithFakeAgent(bench.scratch, "peers-acpx");
  await using daemon = await startDaemon(made, nomosHome);
  await using _owners = endOwners(home);
  const nomos = shell([made.cli], environment(nomosHome), ours);
  const agent = ["--agent", `${process.execPath} ${FAKE_AGENT}`, "--ttl", IDLE_MAX_S, "--format", "quiet"];
  const acpx = shell([join(modules, "acpx", "dist", "cli.js"), ...agent], peerEnvironment(home), theirs);
  const { id } = await daemon.api.call("POST", "/sessions/agent", { adapter: "fake", cwd: ours });
  await acpx("sessions", "new");
  const rounds = bench.quick ? QUICK : ROUNDS;
  const figure = (name: string, what: string, peer: string) => ({ name: `peers.acpx.${name}`, what, peer });
  return [
    await versus(
      figure(
        "prompt",
        "`nomos run -s`: a prompt to a session whose agent runs, until its turn has ended",
        "`acpx prompt`",
      ),
      rounds,
      {
        nomos: () => timedMs(() => nomos("run", "-s", String(id), PROMPT)),
        peer: () => timedMs(() => acpx("prompt", PROMPT)),
      },
    ),
    await versus(
      figure(
        "session",
        "`nomos session start`: a new session without a prompt; ours is flushed and starts its agent later, theirs starts it",
        "`acpx sessions new`",
      ),
      rounds,
      {
        nomos: () => timedMs(() => nomos("session", "start", "fake", "--cwd", ours)),
        peer: () => timedMs(() => acpx("sessions", "new", "--name", "another")),
      },
    ),
    await versus(
      figure(
        "run",
        "`nomos run`: a new session, its agent started, its first turn until the end",
        "`acpx exec`, which keeps no session",
      ),
      rounds,
      {
        nomos: () => timedMs(() => nomos("run", "-a", "fake", PROMPT)),
        peer: () => timedMs(() => acpx("exec", PROMPT)),
      },
    ),
  ];
}

type Shell = (...args: readonly string[]) => Promise<void>;

function shell(program: readonly string[], env: Readonly<Record<string, string>>, cwd: string): Shell {
  return async (...args) => {
    const child = spawnOwned([process.execPath, ...program, ...args], {
      env,
      cwd,
      stdio: ["ignore", "ignore", "pipe"],
      timeout: COMMAND_MAX_MS,
      killSignal: "SIGKILL",
    });
    const complaints: string[] = [];
    child.stderr?.on("data", (chunk) => complaints.push(String(chunk)));
    await ended(child).catch((cause: unknown) => {
      throw new Error(`${args.join(" ")}: ${complaints.join("")}`, { cause });
    });
  };
}

const Owner = z.object({ pid: z.number().int().positive(), socketPath: z.string() });
const END_MAX_MS = 5000;
const LOOK_EVERY_MS = 20;

/** acpx leaves a process in the background for each session that was prompted; its agent ends with it. */
function endOwners(home: string): AsyncDisposable {
  const atOnce = () => owners(home).map(({ pid }) => signalled(pid, "SIGKILL"));
  process.prependOnceListener("exit", atOnce);
  return {
    [Symbol.asyncDispose]: async () => {
      process.off("exit", atOnce);
      const found = owners(home);
      for (const { pid } of found) signalled(pid, "SIGTERM");
      const endMs = performance.now() + END_MAX_MS;
      while (found.some(({ pid }) => signalled(pid, 0)) && performance.now() < endMs) await sleep(LOOK_EVERY_MS);
      for (const { pid } of found) signalled(pid, "SIGKILL");
      for (const { socketPath } of found) removeIfEmpty(dirname(socketPath));
    },
  };
}

function owners(home: string): readonly z.infer<typeof Owner>[] {
  const queues = join(home, ".acpx", "queues");
  if (!existsSync(queues)) return [];
  const locks = readdirSync(queues).filter((name) => name.endsWith(".lock"));
  return locks.map((name) => Owner.parse(JSON.parse(readFileSync(join(queues, name), "utf8"))));
}

/** False: there is no such process any more. */
function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Its sockets lie in the system's temp folder, where it leaves the folder behind. */
function removeIfEmpty(folder: string): void {
  if (!basename(folder).startsWith("acpx-")) return;
  try {
    rmdirSync(folder);
  } catch {
    // Another acpx of this user is using it.
  }
}
