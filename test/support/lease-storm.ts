import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LEASE_GRACE_MS, type Lease } from "../../src/domains/leases/lease.ts";
import { parseLease } from "../../src/domains/leases/lease-text.ts";
import { isRefusal } from "../../src/kernel/index.ts";
import { type LeaseClones, setUpClones } from "./lease-clones.ts";
import { seededRandom } from "./storm-random.ts";

/** What one process is told to do. */
export interface StormOrder {
  readonly seed: number;
  readonly path: string;
  readonly owner: string;
  readonly sessionId: string | null;
  readonly remote: string | null;
  readonly tickets: readonly string[];
  readonly said: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly diesAfterMs: number;
  readonly clock: {
    readonly startMs: number;
    readonly realStartMs: number;
    readonly speed: number;
    readonly offsetMs: number;
  };
}

/** What one process was told: only what was acknowledged to it before it died. */
export interface StormRecord {
  readonly op: "claim" | "renew" | "heartbeat" | "release" | "write";
  readonly ticket: string;
  /** Nanoseconds of the machine's own clock. */
  readonly begun: string;
  readonly ended: string;
  readonly fence?: number;
  readonly nonce?: string;
  readonly code?: string;
}

export interface StormWish {
  readonly seed: number;
  readonly seconds: number;
  readonly workers: number;
}

export interface StormVerdict {
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

const WORKER = join(import.meta.dirname, "lease-worker.ts");
const SHARED = ["TKT-SHARED-1", "TKT-SHARED-2"];
const OWN = ["TKT-OWN-1"];
/** A minute of a lease, and its grace, take a second. */
const SPEED = 60;
const START_MS = Date.UTC(2026, 0, 1);
const LIFE_MS = { least: 300, spread: 3000 };

/** Processes in clones and worktrees of one bare repository race for a few tickets, and are killed. */
export async function runLeaseStorm({ seed, seconds, workers }: StormWish): Promise<StormVerdict> {
  using all = setUpClones();
  const places = await placesOf(all);
  const random = seededRandom(seed);
  const until = Date.now() + seconds * 1000;
  const realStartMs = Date.now();
  let lives = 0;
  const faults: string[] = [];
  const live = async (at: number): Promise<void> => {
    while (Date.now() < until && faults.length === 0) {
      lives += 1;
      const life = lives;
      const isShared = random.below(4) > 0;
      const order: StormOrder = {
        seed: seed * 1000 + life,
        path: places[at % places.length] ?? "",
        // Nearly all have one name, as agents have that nobody named.
        owner: random.below(4) === 0 ? `agent:${at}` : "agent:x",
        sessionId: random.below(3) === 0 ? null : `session-${life}`,
        remote: isShared ? "origin" : null,
        tickets: isShared ? SHARED : OWN,
        said: join(all.directory, `said-${life}.jsonl`),
        environment: { PATH: process.env["PATH"] ?? "", HOME: join(all.directory, "person"), LC_ALL: "C" },
        diesAfterMs: LIFE_MS.least + random.below(LIFE_MS.spread),
        clock: {
          startMs: START_MS,
          realStartMs,
          speed: SPEED,
          offsetMs: random.below(LEASE_GRACE_MS) - LEASE_GRACE_MS / 2,
        },
      };
      const path = join(all.directory, `order-${life}.json`);
      writeFileSync(path, JSON.stringify(order));
      const child = spawn(process.execPath, [WORKER, path], { stdio: ["ignore", "ignore", "pipe"] });
      let words = "";
      child.stderr.on("data", (chunk: Buffer) => {
        words += chunk.toString();
      });
      const [, signal] = await once(child, "close");
      if (signal !== "SIGKILL") faults.push(`a process ended by itself: ${words.slice(-500)}`);
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, at) => live(at)));
  const verdict = judge(all, places);
  return { counts: { lives, ...verdict.counts }, faults: [...faults, ...verdict.faults] };
}

/** Two clones, a third one that is shallow, and a worktree of the first. */
async function placesOf(all: LeaseClones): Promise<readonly string[]> {
  const [a, b] = [await all.clone("a"), await all.clone("b")];
  const c = await all.clone("c", { clone: ["--depth=1"] });
  const tree = join(all.directory, "tree");
  all.git(a.path, "worktree", "add", "-q", "-b", "work", tree);
  return [a.path, b.path, tree, c.path];
}

function judge(all: LeaseClones, places: readonly string[]): StormVerdict {
  const counts: Record<string, number> = {};
  const faults: string[] = [];
  const said = readdirSync(all.directory)
    .filter((name) => name.startsWith("said-"))
    .map((name) => {
      const order: StormOrder = JSON.parse(
        readFileSync(join(all.directory, name.replace("said", "order").replace("jsonl", "json")), "utf8"),
      );
      const lines = readFileSync(join(all.directory, name), "utf8").split("\n");
      // The last line of a killed process may be cut.
      return { order, records: lines.slice(0, -1).map((line): StormRecord => JSON.parse(line)) };
    });
  const clones = [places[0], places[1], places[3]].filter((one) => one !== undefined);
  const races = [
    ...SHARED.map((ticket) => ({ ticket, repository: all.origin, among: places })),
    ...clones.flatMap((repository, at) =>
      OWN.map((ticket) => ({ ticket, repository, among: at === 0 ? [places[0], places[2]] : [repository] })),
    ),
  ];
  for (const { ticket, repository, among } of races) {
    const records = said
      .filter(({ order }) => among.includes(order.path))
      .flatMap((one) => one.records.filter((record) => record.ticket === ticket));
    for (const { op, code } of records) {
      const name = code === undefined ? op : `${op}: ${code}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    const history = historyOf(all, repository, ticket);
    counts["changes"] = (counts["changes"] ?? 0) + history.length;
    faults.push(...[...judgeHistory(history, records), ...judgeWrites(records)].map((one) => `${ticket}: ${one}`));
  }
  return { counts, faults };
}

/** All that the ref ever was, oldest first. */
function historyOf(all: LeaseClones, repository: string, ticket: string): readonly Lease[] {
  const ref = `refs/nomos/leases/${ticket}`;
  if (all.git(repository, "for-each-ref", ref) === "") return [];
  const texts = all.git(repository, "log", "--reverse", "--first-parent", "-z", "--format=%B", ref).split("\0");
  return texts.filter(Boolean).map((text) => {
    const lease = parseLease(text.trimStart());
    if (isRefusal(lease)) throw new Error(`the history of ${ticket} has no lease: ${text}`);
    return lease;
  });
}

function judgeHistory(history: readonly Lease[], records: readonly StormRecord[]): readonly string[] {
  const faults: string[] = [];
  history.forEach((now, at) => {
    const before = history[at - 1];
    if (before === undefined) return;
    const isSame = now.fence === before.fence;
    if (now.serial !== before.serial + 1) faults.push(`serial ${before.serial} is followed by ${now.serial}`);
    if (!isSame && now.fence !== before.fence + 1) faults.push(`fence ${before.fence} is followed by ${now.fence}`);
    if (isSame && now.nonce !== before.nonce) faults.push(`fence ${now.fence} was given twice`);
    if (isSame && before.releasedMs !== null) faults.push(`fence ${now.fence} lived after its release`);
    if (isSame && now.releasedMs === null && now.untilMs < before.untilMs)
      faults.push(`fence ${now.fence} got shorter`);
    const isOther = now.owner !== before.owner || now.sessionId !== before.sessionId || now.clone !== before.clone;
    const isTooSoon = before.releasedMs === null && now.createdMs < before.untilMs + LEASE_GRACE_MS;
    if (isOther && isTooSoon) faults.push(`fence ${now.fence} was taken while ${before.fence} lived`);
  });
  const known = new Set(history.map(({ fence, nonce }) => `${fence} ${nonce}`));
  for (const { op, fence, nonce, code } of records)
    if (code === undefined && op !== "write" && !known.has(`${fence} ${nonce}`))
      faults.push(`${op} of fence ${fence} was acknowledged, and is not in the history`);
  return faults;
}

/** Whoever passed a check with a fence began it before any later fence was acknowledged. */
function judgeWrites(records: readonly StormRecord[]): readonly string[] {
  const given = records
    .filter(({ op, code }) => (op === "claim" || op === "renew") && code === undefined)
    .map(({ fence = 0, ended }) => ({ fence, ended: BigInt(ended) }));
  return records.flatMap(({ op, code, fence = 0, begun }) => {
    if (op !== "write" || code !== undefined) return [];
    const later = given.find((one) => one.fence > fence && one.ended < BigInt(begun));
    return later === undefined ? [] : [`a write with fence ${fence} began after ${later.fence} was given`];
  });
}
