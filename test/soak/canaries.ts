import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { betrayedBelow, type Canary, newCanary } from "../support/canaries.ts";
import { ENCODINGS } from "../support/secret-encodings.ts";
import { type StormDaemon, startStormDaemon } from "../support/storm-daemon.ts";
import { type Random, seededRandom } from "../support/storm-random.ts";
import type { Findings } from "./long-run.ts";

const SECRETS = 5;
const SESSIONS = 8;
const EVENTS_PER_CALL = 100;
const CALLS_AT_ONCE = 4;
/** One event of so many holds a canary. */
const EVERY = 50;
const WORDS = "the agent reads a file, runs the tests of the package and says what it found; ".repeat(3);

/** Many events, canaries in every encoding among them; then every byte of the home, of a backup and of a bundle is searched. */
export async function soakCanaries({
  events,
  seed,
}: {
  readonly events: number;
  readonly seed: number;
}): Promise<Findings> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-canaries-")));
  const home = join(folder, "home");
  const daemon = await startStormDaemon(home);
  const random = seededRandom(seed);
  const canaries = Array.from({ length: SECRETS }, newCanary);
  try {
    for (const [at, { value }] of canaries.entries())
      await post(daemon, "/api/secrets", { name: `CANARY_${at}`, value });
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => openSession(daemon, folder)));
    let planted = 0;
    let left = Math.ceil(events / EVENTS_PER_CALL);
    const work = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const some = Array.from({ length: EVENTS_PER_CALL }, (_, at) => {
          if (at % EVERY !== 0) return { type: "noted", payload: { text: WORDS } };
          planted += 1;
          return { type: "noted", payload: { text: `${WORDS}${spelled(canaries, random)}${WORDS}` } };
        });
        await post(daemon, `/sessions/${sessions[left % SESSIONS]}/events`, { events: some });
      }
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
    await post(daemon, "/api/backup", {});
    await post(daemon, "/api/audit/export", {});
    await daemon.term();
    const betrayed = await betrayedBelow(home, canaries);
    return { counts: { events, planted, betrayed: betrayed.length }, failures: betrayed.slice(0, 20) };
  } finally {
    daemon.child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
}

function spelled(canaries: readonly Canary[], random: Random): string {
  const encode = random.pick(Object.values(ENCODINGS));
  return encode?.(random.pick(canaries)?.value ?? "", () => random.below(100) / 100) ?? "";
}

async function openSession(daemon: StormDaemon, cwd: string): Promise<string> {
  const { id } = await post<{ id: string }>(daemon, "/sessions/external", { agent: "external", cwd, pid: process.pid });
  return id;
}

async function post<T = unknown>(daemon: StormDaemon, path: string, body: object): Promise<T> {
  const { status, body: answer } = await daemon.call<T>("POST", path, body);
  if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
  return answer;
}
