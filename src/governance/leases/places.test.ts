import { execFileSync } from "node:child_process";
import { existsSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type LeaseClone, type LeaseClones, setUpClones } from "../../../test/support/lease-clones.ts";
import { proves } from "../../../test/support/proves.ts";
import { LEASE_GRACE_MS } from "../../domains/index.ts";

const T = "TKT-20260101-120000-AB12";
const [OURS, THEIRS, SEEN] = [`refs/nomos/leases/${T}`, `refs/exoprotocol/locks/${T}`, `refs/nomos/seen/${T}`];
const A = { owner: "agent:a" };
const B = { owner: "agent:b" };
const MINUTE_MS = 60_000;
const ALONE = { remote: null } as const;

/** A whole life of a lease between two that share it. */
async function live(a: LeaseClone, b: LeaseClone, first = 1): Promise<void> {
  expect(await a.leases.claim(a.governed, T, A)).toMatchObject({ fence: first });
  await expect(b.leases.claim(b.governed, T, B)).rejects.toMatchObject({ code: "ticket_leased" });
  expect(await b.leases.holder(b.governed, T)).toMatchObject({ owner: "agent:a", fence: first });
  await a.leases.heartbeat(a.governed, T, { ...A, fence: first });
  expect(await a.leases.check(a.governed, T, first)).toBeNull();
  await a.leases.release(a.governed, T, { ...A, fence: first });
  expect(await b.leases.claim(b.governed, T, B)).toMatchObject({ fence: first + 1 });
  expect(await a.leases.confirm(a.governed, T, first)).toMatchObject({ refused: "lease_lost" });
  expect(await b.leases.confirm(b.governed, T, first + 1)).toBeNull();
  await b.leases.release(b.governed, T, { ...B, fence: first + 1 });
}

/** Nothing of a lease shows where a person looks. */
function clean(all: LeaseClones, path: string): void {
  expect(all.git(path, "fsck", "--full", "--strict", "--no-dangling")).toBe("");
  expect(all.git(path, "branch", "--list", "--all")).not.toContain("nomos");
  expect(existsSync(join(path, ".git", "FETCH_HEAD"))).toBe(false);
}

proves("GR-9", "two worktrees of one clone share their leases without a remote", async () => {
  using all = setUpClones();
  const a = await all.clone("a", ALONE);
  all.git(a.path, "worktree", "add", "-q", "-b", "work", join(all.directory, "tree"));
  const b = await all.open(join(all.directory, "tree"), ALONE);
  await live(a, b);
  clean(all, a.path);
  expect(all.git(all.origin, "for-each-ref", "refs/nomos", "refs/exoprotocol")).toBe("");
});

proves(
  "GR-9",
  "two clones share their leases by the remote, also a shallow one, a bare one and one with packed refs",
  async () => {
    using all = setUpClones();
    all.git(join(all.directory, "first"), "commit", "-q", "--allow-empty", "-m", "second");
    all.git(join(all.directory, "first"), "push", "-q", "origin", "main");
    const a = await all.clone("a");
    await live(a, await all.clone("shallow", { clone: ["--depth=1"] }), 1);
    await live(await all.open(join(all.directory, "shallow")), await all.clone("bare", { clone: ["--bare"] }), 3);
    for (const path of [a.path, join(all.directory, "shallow"), all.origin]) all.git(path, "pack-refs", "--all");
    expect(existsSync(join(a.path, ".git", OURS))).toBe(false);
    await live(a, await all.open(join(all.directory, "shallow")), 5);
    clean(all, a.path);
    clean(all, join(all.directory, "shallow"));
    expect(all.git(join(all.directory, "shallow"), "rev-list", "--count", "HEAD")).toBe("1");
  },
);

proves("GR-9", "a repository without commits, and one of sha256, hold leases as any other", async () => {
  using all = setUpClones(["--object-format=sha256"]);
  await live(await all.clone("a"), await all.clone("b"));
  const empty = join(all.directory, "empty");
  all.git(all.directory, "init", "-q", empty);
  const [a, b] = [await all.open(empty, ALONE), await all.open(empty, ALONE)];
  await live(a, b);
  expect(all.git(empty, "rev-parse", OURS)).toMatch(/^[0-9a-f]{40}$/);
});

const hasReftable = !/unknown|invalid/.test(
  execFileSync("sh", ["-c", 'git init -q --ref-format=reftable "$(mktemp -d)" 2>&1 || true'], { encoding: "utf8" }),
);

proves.where(hasReftable)("GR-9", "a repository of reftables (git 2.45) holds leases as any other", async () => {
  using all = setUpClones(["--ref-format=reftable"]);
  const made = { clone: ["--ref-format=reftable"] };
  await live(await all.clone("a", made), await all.clone("b", made));
});

proves("GR-9", "leases that were there before the remote are shared by the next change", async () => {
  using all = setUpClones();
  const alone = await all.clone("a", ALONE);
  await alone.leases.claim(alone.governed, T, A);
  await alone.leases.claim(alone.governed, T, A);
  const [a, b] = [await all.open(alone.path), await all.clone("b")];
  expect(await a.leases.heartbeat(a.governed, T, { ...A, fence: 2 })).toMatchObject({ fence: 2 });
  await expect(b.leases.claim(b.governed, T, B)).rejects.toMatchObject({ code: "ticket_leased" });
});

proves(
  "GR-3",
  "a lease that lives is decided where it is shared, also when the configuration names no remote now",
  async () => {
    using all = setUpClones();
    const [a, b] = [await all.clone("a"), await all.clone("b")];
    await a.leases.claim(a.governed, T, { ...A, minutes: 1 });
    const [alone, other] = [await all.open(a.path, ALONE), await all.open(b.path, ALONE)];
    await alone.leases.heartbeat(alone.governed, T, { ...A, fence: 1, minutes: 10 });
    all.clock.pass(5 * MINUTE_MS);
    await expect(b.leases.claim(b.governed, T, B)).rejects.toMatchObject({ code: "ticket_leased" });
    await expect(other.leases.claim(other.governed, T, B)).rejects.toMatchObject({ code: "ticket_leased" });
    await alone.leases.release(alone.governed, T, { ...A, fence: 1 });
    expect(await b.leases.claim(b.governed, T, B)).toMatchObject({ fence: 2 });
  },
);

proves(
  "GR-10",
  "killed after the remote had it and before the clone: the next claim continues with the next fence",
  async () => {
    using all = setUpClones();
    const [a, b] = [await all.clone("a"), await all.clone("b")];
    await a.leases.claim(a.governed, T, A);
    // As a kill leaves it: the clone knows nothing.
    for (const ref of [OURS, SEEN]) all.git(a.path, "update-ref", "-d", ref);
    const again = await all.open(a.path);
    expect(await again.leases.check(again.governed, T, 1)).toMatchObject({ refused: "lease_lost" });
    await expect(b.leases.claim(b.governed, T, B)).rejects.toMatchObject({ code: "ticket_leased" });
    expect(await again.leases.claim(again.governed, T, A)).toMatchObject({ fence: 2 });
    expect(await again.leases.check(again.governed, T, 2)).toBeNull();
  },
);

proves("GR-10", "a lock that a killed git left is named, and removed when it is ten minutes old", async () => {
  using all = setUpClones();
  const a = await all.clone("a", ALONE);
  await a.leases.claim(a.governed, T, A);
  const lock = join(a.path, ".git", `${OURS}.lock`);
  writeFileSync(lock, "");
  const at = (ageMs: number) => utimesSync(lock, 0, (all.clock.nowMs() - ageMs) / 1000);
  at(MINUTE_MS);
  await expect(a.leases.claim(a.governed, T, A)).rejects.toMatchObject({
    code: "git_failed",
    remedy: expect.stringContaining(lock),
  });
  at(11 * MINUTE_MS);
  expect(await a.leases.claim(a.governed, T, A)).toMatchObject({ fence: 2 });
});

proves("GR-10", "killed while it released: the clone writes no more, and the release is shared later", async () => {
  using all = setUpClones();
  const [a, b] = [await all.clone("a"), await all.clone("b")];
  await a.leases.claim(a.governed, T, A);
  renameSync(all.origin, `${all.origin}.away`);
  await expect(a.leases.release(a.governed, T, { ...A, fence: 1 })).rejects.toMatchObject({
    code: "lease_remote_failed",
  });
  renameSync(`${all.origin}.away`, all.origin);
  expect(await a.leases.check(a.governed, T, 1)).toMatchObject({ refused: "lease_lost" });
  await expect(b.leases.claim(b.governed, T, B)).rejects.toMatchObject({ code: "ticket_leased" });
  const again = await all.open(a.path);
  await again.leases.release(again.governed, T, { ...A, fence: 1 });
  expect(await b.leases.claim(b.governed, T, B)).toMatchObject({ fence: 2 });
});

proves(
  "GR-5",
  "ExoProtocol's own lease is respected, taken over after its end, and never overwritten while it lives",
  async () => {
    using all = setUpClones();
    const a = await all.clone("a");
    await a.leases.claim(a.governed, T, A);
    await a.leases.release(a.governed, T, { ...A, fence: 1 });
    const text = all.git(a.path, "log", "-1", "--format=%B", OURS);
    const at = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z/, "+00:00");
    const endMs = all.clock.nowMs() + 10 * MINUTE_MS;
    const theirs = text
      .split("\n")
      .slice(0, 12)
      .join("\n")
      .replace(/^owner: .*$/m, "owner: exo:agent")
      .replace(/^fencing_token: .*$/m, "fencing_token: 2")
      .replaceAll(/^((?:lease_)?expires_at): .*$/gm, `$1: ${at(endMs)}`);
    const taken = all.git(a.path, "commit-tree", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "-p", OURS, "-m", theirs);
    all.git(a.path, "push", "-q", "origin", `${taken}:${THEIRS}`);
    await expect(a.leases.claim(a.governed, T, A)).rejects.toMatchObject({
      code: "ticket_leased",
      details: { owner: "exo:agent", fence: 2 },
    });
    expect(all.git(all.origin, "rev-parse", THEIRS)).toBe(taken);
    all.clock.pass(10 * MINUTE_MS + LEASE_GRACE_MS);
    expect(await a.leases.claim(a.governed, T, A)).toMatchObject({ fence: 3 });
    expect(all.git(all.origin, "log", "--format=%H", THEIRS)).toContain(taken);
  },
);

proves(
  "GR-11",
  "a check starts no process and takes less than a millisecond, also after refs were packed",
  async () => {
    using all = setUpClones();
    const a = await all.clone("a", ALONE);
    for (let at = 0; at < 20; at++) await a.leases.claim(a.governed, `TKT-${at}`, A);
    const perCheckMs = async (): Promise<number> => {
      const times: number[] = [];
      for (let at = 0; at < 400; at++) {
        const began = performance.now();
        expect(await a.leases.check(a.governed, `TKT-${at % 20}`, 1)).toBeNull();
        times.push(performance.now() - began);
      }
      return times.toSorted((x, y) => x - y)[times.length / 2] ?? Number.NaN;
    };
    expect(await perCheckMs()).toBeLessThan(1);
    all.git(a.path, "pack-refs", "--all");
    expect(await perCheckMs()).toBeLessThan(1);
    expect(existsSync(join(a.path, ".git", "refs", "nomos", "leases", "TKT-1"))).toBe(false);
    await a.leases.claim(a.governed, "TKT-3", A);
    expect(await a.leases.check(a.governed, "TKT-3", 1)).toMatchObject({ refused: "lease_lost" });
  },
);
