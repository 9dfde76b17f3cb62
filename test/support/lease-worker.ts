import { appendFileSync, readFileSync } from "node:fs";
import { createLeases, type HeldLease, type LeasedRepository } from "../../src/governance/leases/leases.ts";
import { createRefs } from "../../src/governance/refs/refs.ts";
import { createGitRunner, findRepository, systemClock } from "../../src/host/index.ts";
import type { StormOrder, StormRecord } from "./lease-storm.ts";
import { seededRandom } from "./storm-random.ts";

/** Claims, beats, renews, releases, writes and is killed, as its order says; notes everything that was acknowledged. */
const order: StormOrder = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const { seed, path, owner, sessionId, remote, tickets, said, clock: set, environment, diesAfterMs } = order;
const random = seededRandom(seed);
const real = systemClock();

/** Time runs faster here, and is wrong by the offset. */
const clock = {
  ...real,
  nowMs: () => set.startMs + (Date.now() - set.realStartMs) * set.speed + set.offsetMs,
  steadyMs: () => real.steadyMs() * set.speed,
};
const git = createGitRunner(environment);
const repository = await findRepository(git, path);
if (repository === null) throw new Error(`${path} is no repository`);
const governed: LeasedRepository = { repository, branch: "main" };
const leases = createLeases({
  refs: createRefs({ git, clock, environment }),
  clock,
  host: "here",
  remoteOf: async () => remote,
});

/** The same clock in all processes of a machine. */
const nanos = (): string => process.hrtime.bigint().toString();
const note = (record: StormRecord): void => appendFileSync(said, `${JSON.stringify(record)}\n`);
const codeOf = (thrown: unknown): string => {
  if (thrown instanceof Error && "code" in thrown && typeof thrown.code === "string") return thrown.code;
  throw thrown;
};

const held = new Map<string, number>();
async function change(ticket: string, op: StormRecord["op"], work: () => Promise<HeldLease>): Promise<void> {
  const begun = nanos();
  try {
    const { fence, nonce } = await work();
    held.set(ticket, fence);
    note({ op, ticket, begun, ended: nanos(), fence, nonce });
    if (op === "release") held.delete(ticket);
  } catch (thrown) {
    const code = codeOf(thrown);
    note({ op, ticket, begun, ended: nanos(), code });
    if (code === "lease_lost" || code === "ticket_leased") held.delete(ticket);
  }
}

/** As a session asks before it writes. */
async function write(ticket: string, fence: number): Promise<void> {
  const begun = nanos();
  const refused = await leases.check(governed, ticket, fence);
  note({ op: "write", ticket, begun, ended: nanos(), fence, ...(refused === null ? {} : { code: refused.refused }) });
}

setTimeout(() => process.kill(process.pid, "SIGKILL"), diesAfterMs);
for (;;) {
  const ticket = tickets[random.below(tickets.length)] ?? "";
  const fence = held.get(ticket);
  const minutes = 1 + random.below(2);
  if (fence === undefined) {
    await change(ticket, "claim", () => leases.claim(governed, ticket, { owner, sessionId, minutes }));
    // Whoever is refused waits, or nobody else gets a turn on the machine.
    await real.sleep(random.below(300));
    continue;
  }
  const holder = { owner, fence, sessionId, minutes };
  const dice = random.below(10);
  if (dice < 6) await write(ticket, fence);
  else if (dice < 8) await change(ticket, "heartbeat", () => leases.heartbeat(governed, ticket, holder));
  else if (dice < 9) await change(ticket, "renew", () => leases.renew(governed, ticket, holder));
  else await change(ticket, "release", () => leases.release(governed, ticket, { owner, fence, sessionId }));
  await real.sleep(random.below(60));
}
