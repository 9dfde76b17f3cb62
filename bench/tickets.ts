import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { dispatchTickets } from "../src/domains/index.ts";
import { createTicketReader, openGoverned } from "../src/governance/index.ts";
import { createGitRunner } from "../src/host/index.ts";
import { memberOf } from "../src/kernel/index.ts";
import { commitMany, ticketIdOf, ticketText } from "../test/support/many-tickets.ts";
import { startDaemon } from "./daemon.ts";
import { type Bench, type Benchmark, type Figure, interleave, median, percentile } from "./harness.ts";

const TICKETS = 1000;
const MANY_TICKETS = 10_000;
const ASKED = 40;

/** Tickets of a repository: read, ranked, and handed out one after another until none is left. */
export const ticketsBenchmark: Benchmark = {
  name: "tickets",
  run: async (bench) => [await readFigure(bench), rankFigure(bench), ...(await dispatchFigures(bench))],
};

/** All files of a fresh process, against git giving out the same bytes. */
async function readFigure({ quick, scratch }: Bench): Promise<Figure> {
  const count = quick ? MANY_TICKETS / 10 : MANY_TICKETS;
  const repository = plant(join(scratch, "tickets-read"), count);
  const git = createGitRunner(process.env);
  const governed = await openGoverned(git, repository, scratch);
  if (governed === null) throw new Error("no law");
  const samples = await interleave(quick ? 3 : 7, {
    ours: async () => {
      const start = performance.now();
      const { tickets } = await createTicketReader(git, scratch).read(governed);
      if (tickets.size !== count) throw new Error(`${tickets.size} of ${count}`);
      return performance.now() - start;
    },
    bare: async () => {
      const start = performance.now();
      const run = (args: readonly string[], input = "") =>
        execFileSync("git", ["-C", repository, ...args], { input, maxBuffer: 1e9, encoding: "utf8" });
      const ids = run(["ls-tree", "--format=%(objectname)", "HEAD:.nomos/tickets"]);
      run(["cat-file", "--batch"], ids);
      return performance.now() - start;
    },
  });
  return {
    name: "tickets.read",
    what: `reading ${count} tickets for the first time`,
    unit: "ms",
    value: median(samples.ours),
    baseline: { what: "git gives out the same files", value: median(samples.bare) },
    aim: { valueAtMost: 1000 },
    details: {},
  };
}

function rankFigure({ quick }: Bench): Figure {
  const nowMs = Date.parse("2026-02-01T00:00:00Z");
  const tickets = Array.from({ length: TICKETS }, (_, n) => ({
    id: ticketIdOf(n),
    kind: "task" as const,
    type: ["feature", "bug", "docs"][n % 3] ?? "feature",
    priority: 1 + (n % 5),
    lane: null,
    blockers: n % 10 === 0 ? [ticketIdOf((n + 1) % TICKETS)] : [],
    createdAt: "2026-01-02T03:04:05.000Z",
    status: "todo" as const,
    isLeased: n % 50 === 1,
  }));
  const lanes = [
    { name: "features", types: ["feature"], count: 3 },
    { name: "rest", types: ["*"], count: 20 },
  ];
  const taken: number[] = [];
  const sorted: number[] = [];
  for (let round = 0; round < (quick ? 20 : 200); round += 1) {
    const start = performance.now();
    dispatchTickets(tickets, { lanes, ticketsAtOnceMax: null, nowMs });
    taken.push(performance.now() - start);
    const bare = performance.now();
    tickets.toSorted((one, other) => one.priority - other.priority || (one.id < other.id ? -1 : 1));
    sorted.push(performance.now() - bare);
  }
  return {
    name: "tickets.rank",
    what: `ranking ${TICKETS} tickets by score, lanes and blockers`,
    unit: "ms",
    value: median(taken),
    baseline: { what: "sorting them", value: median(sorted) },
    aim: { valueAtMost: 10 },
    details: { p99: percentile(taken, 99) },
  };
}

async function dispatchFigures({ quick, scratch, homes, product }: Bench): Promise<readonly Figure[]> {
  const count = quick ? TICKETS / 10 : TICKETS;
  const repository = plant(join(scratch, "tickets-dispatch"), count);
  await using daemon = await startDaemon(await product(), (await homes.history(1000)).home);
  const next = async (claim: boolean): Promise<string | null> => {
    const { ticket } = await daemon.api.call("POST", "/api/tickets/next", { cwd: repository, claim });
    return ticket === null ? null : String(memberOf(ticket, "id"));
  };
  await next(false);
  const asked: number[] = [];
  for (let n = 0; n < ASKED; n += 1) {
    const start = performance.now();
    await next(false);
    asked.push(performance.now() - start);
  }
  const bare: number[] = [];
  const claims: number[] = [];
  const seen = new Set<string>();
  for (;;) {
    const start = performance.now();
    const id = await next(true);
    if (id === null) break;
    claims.push(performance.now() - start);
    seen.add(id);
    if (claims.length % 10 === 0) bare.push(bareRef(repository, claims.length));
  }
  if (seen.size !== count) throw new Error(`${seen.size} of ${count} were handed out`);
  const git = { what: "a commit and a ref by git alone", value: median(bare) };
  return [
    {
      name: "tickets.next",
      what: `\`ticket next\` over HTTP at ${count} tickets`,
      unit: "ms",
      value: median(asked),
      baseline: git,
      aim: null,
      details: { p99: percentile(asked, 99) },
    },
    {
      name: "tickets.dispatched",
      what: `handing out one of ${count} tickets with its lease, until none is left`,
      unit: "ms",
      value: median(claims),
      baseline: git,
      aim: null,
      details: { p99: percentile(claims, 99), last: median(claims.slice(-20)), first: median(claims.slice(0, 20)) },
    },
  ];
}

/** What a lease costs git at the least. */
function bareRef(repository: string, n: number): number {
  const start = performance.now();
  const identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"];
  const run = (...args: readonly string[]) =>
    execFileSync("git", ["-C", repository, ...identity, ...args], { input: "", encoding: "utf8" }).trim();
  const tree = run("hash-object", "-t", "tree", "-w", "--stdin");
  const commit = run("commit-tree", tree, "-m", "lease");
  run("update-ref", `refs/bench/${n}`, commit);
  return performance.now() - start;
}

function plant(repository: string, count: number): string {
  mkdirSync(repository, { recursive: true });
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", repository, ...args], { stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "-q", "--allow-empty", "-m", "begin");
  const files = Array.from({ length: count }, (_, n) => {
    const scope = `\n  allow:\n    - src/${n}/**\n  deny: []`;
    return [`.nomos/tickets/${ticketIdOf(n)}.yaml`, ticketText(ticketIdOf(n), { scope })] as const;
  });
  commitMany(repository, [[".nomos/config.yaml", "version: 1\n"], ...files]);
  git("reset", "-q", "--hard");
  return repository;
}
