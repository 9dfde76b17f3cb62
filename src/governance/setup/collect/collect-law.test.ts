import { existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { type SetupBench, setUpLawBench } from "../../../../test/support/setup-scene.ts";
import { systemClock } from "../../../host/index.ts";
import { createLeases } from "../../leases/leases.ts";
import { createRefs } from "../../refs/refs.ts";
import { openGoverned } from "../../repository/open-governed.ts";
import { createLawSetup } from "../law-setup.ts";

const GONE = "TKT-20260101-000000-GONE";
const HELD = "TKT-20260101-000000-HELD";
const KEPT = "TKT-20260101-000000-KEPT";
const WISH = { dryRun: false, commit: true, message: null, sidecar: false } as const;

function setUp(all: SetupBench) {
  const { place } = all;
  const setup = createLawSetup({ ...place, nowMs: Date.now });
  const clock = systemClock();
  const refs = createRefs({ ...place, clock });
  const leases = createLeases({ refs, clock, host: "here", remoteOf: async () => null });
  const governed = async () => {
    const found = await openGoverned(place.git, all.repo, place.scratch);
    return found ?? expect.fail("not governed");
  };
  const ticket = (id: string) => {
    const text = `id: ${id}\nkind: task\ntitle: A task\nparent: null\n`;
    all.write(join(all.repo, `.nomos/tickets/${id}.yaml`), text);
    all.git(all.repo, "add", ".nomos");
    all.git(all.repo, "commit", "-qm", id);
  };
  const refNames = () => all.git(all.repo, "for-each-ref", "--format=%(refname)", "refs/nomos", "refs/exoprotocol");
  return { setup, leases, refs, governed, ticket, refNames };
}

proves(
  "GS-12",
  "gc: old caches and what is left of tickets that are gone go; held leases and evidence stay",
  async () => {
    using all = setUpLawBench();
    const { repo, write } = all;
    const { setup, leases, refs, governed, ticket, refNames } = setUp(all);
    await setup.init({ ...WISH, cwd: repo });
    ticket(KEPT);
    const place = { repository: (await governed()).repository, remote: null };
    for (const id of [GONE, KEPT]) {
      const { fence } = await leases.claim(await governed(), id, { owner: "agent:a" });
      await leases.release(await governed(), id, { owner: "agent:a", fence });
      await refs.documents.swap(place, "status", id, { from: null, text: '{"status":"done"}' });
      await refs.documents.swap(place, "evidence", id, { from: null, text: "{}" });
    }
    await leases.claim(await governed(), HELD, { owner: "agent:b" });
    write(join(repo, ".nomos/cache/old/x"), "old");
    write(join(repo, ".nomos/cache/new"), "new");
    utimesSync(join(repo, ".nomos/cache/old/x"), 0, 0);
    const before = refNames();
    const told = await setup.collect({ cwd: repo, days: 30, dryRun: true });
    expect(refNames()).toBe(before);
    expect(told.files).toEqual([".nomos/cache/old/x"]);
    expect(told.refs.every((ref) => ref.endsWith(GONE))).toBe(true);
    expect(told.refs).toEqual(expect.arrayContaining([`refs/nomos/leases/${GONE}`, `refs/nomos/status/${GONE}`]));
    expect(await setup.collect({ cwd: repo, days: 30, dryRun: false })).toMatchObject({ refs: told.refs });
    const left = refNames().split("\n");
    expect(left.filter((ref) => ref.endsWith(GONE))).toEqual([`refs/nomos/evidence/${GONE}`]);
    expect(left).toEqual(expect.arrayContaining([`refs/nomos/leases/${HELD}`, `refs/nomos/status/${KEPT}`]));
    expect([existsSync(join(repo, ".nomos/cache/old")), existsSync(join(repo, ".nomos/cache/new"))]).toEqual([
      false,
      true,
    ]);
    expect(await setup.collect({ cwd: repo, days: 30, dryRun: false })).toMatchObject({ files: [], refs: [] });
    // What Nomos wrote for ExoProtocol goes with the law too.
    await setup.deinit({ cwd: repo, dryRun: false, force: true, message: null });
    expect(refNames()).toBe("");
  },
);

proves(
  "GS-13",
  "the doctor names what is missing, edited, invalid, not committed or left by a dead holder",
  async () => {
    using all = setUpLawBench();
    const { git, repo, write } = all;
    const { setup, leases, governed, ticket } = setUp(all);
    expect(await setup.examine(repo)).toBeNull();
    await setup.init({ ...WISH, cwd: repo });
    const findings = async () => {
      const rows = (await setup.examine(repo)) ?? [];
      expect(rows.map(({ name }) => name)).toEqual(["scaffold", "config", "law", "tickets", "tracking", "liveness"]);
      for (const { finding, remedy } of rows) expect(remedy === null).toBe(finding === "fine");
      return rows.filter(({ finding }) => finding !== "fine").map(({ name, finding }) => `${name} ${finding}`);
    };
    expect(await findings()).toEqual([]);
    write(join(repo, ".nomos/config.yaml"), "version: 1\nchecks: []\nbudgets: { files: 1, lines: 1 }\nbudget: 1\n");
    expect(await findings()).toEqual(["law problem", "tracking warning"]);
    git(repo, "commit", "-qam", "settings");
    expect(await findings()).toEqual(["config warning", "law problem"]);
    git(repo, "revert", "--no-edit", "HEAD");
    git(repo, "rm", "-q", ".nomos/.gitignore");
    git(repo, "commit", "-qm", "less");
    expect(await findings()).toEqual(["scaffold problem", "tracking warning"]);
    git(repo, "revert", "--no-edit", "HEAD");
    ticket(KEPT);
    write(join(repo, `.nomos/tickets/${GONE}.yaml`), "id: other\n");
    git(repo, "add", ".nomos");
    git(repo, "commit", "-qm", "half a ticket");
    expect(await findings()).toEqual(["tickets problem"]);
    git(repo, "reset", "-q", "--hard", "HEAD~1");
    await leases.claim(await governed(), KEPT, { owner: "agent:a", minutes: 1 });
    const later = createLawSetup({ ...all.place, nowMs: () => Date.now() + 3_600_000 });
    expect((await later.examine(repo))?.at(-1)).toMatchObject({ name: "liveness", finding: "warning" });
  },
);
