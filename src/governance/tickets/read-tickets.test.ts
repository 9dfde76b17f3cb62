import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { commitMany, ticketIdOf, ticketText } from "../../../test/support/many-tickets.ts";
import { proves } from "../../../test/support/proves.ts";
import { type Bench, setUpBench } from "../../../test/support/worktree-bench.ts";
import { createGitRunner } from "../../host/index.ts";
import { findTip } from "../repository/open-governed.ts";
import { createTicketReader } from "./read-tickets.ts";

const git = createGitRunner({ PATH: process.env["PATH"] });

async function placeOf(bench: Bench) {
  const { repository, repoKey, law } = (await findTip(git, bench.repo)) ?? {};
  if (repository === undefined || repoKey === undefined || law == null) throw new Error("no commit");
  return { repository, repoKey, tip: law.tip };
}

const scratchOf = (bench: Bench): string => join(bench.directory, "scratch");
const file = (id: string): string => `.nomos/tickets/${id}.yaml`;

proves(
  "GT-4",
  "half-written, edited, newer and hostile files are told one by one; the good ones are all there",
  async () => {
    using bench = setUpBench();
    const { repo, git: person, write } = bench;
    const good = [ticketIdOf(1), ticketIdOf(2)];
    const bad: readonly (readonly [name: string, text: string | Buffer, message: RegExp])[] = [
      ["TKT-1.yaml", "id: TKT-1\ntitle: [unfinished\n", /line \d+: /],
      ["TKT-2.yaml", "", /it is no map|is no map/],
      ["TKT-3.yaml", ticketText("TKT-4"), /its id is TKT-4/],
      ["TKT-5.yaml", ticketText("TKT-5", { version: "2" }), /a newer version of Nomos wrote it \(format 2\)/],
      ["TKT-6.yaml", `<<<<<<< HEAD\n${ticketText("TKT-6")}=======\n>>>>>>> other\n`, /conflict markers/],
      ["TKT-7.yaml", Buffer.from([0x69, 0x64, 0x3a, 0xff, 0xfe]), /not UTF-8/],
      ["TKT-8.yaml", ticketText("TKT-8", { title: '"a\\u0000b"' }), /`title` holds characters that are no text/],
      [
        "TKT-9.yaml",
        ticketText("TKT-9", { priority: "9", risk: "huge" }),
        /`priority` is no such whole number, and 1 more/,
      ],
      ["TKT-10.yaml", `a: &a [x]\nb: [${"*a, ".repeat(500)}*a]\n`, /aliases/],
      ["TKT-11.yaml", `${"[".repeat(5000)}`, /nested|deep/],
      [
        "TKT-12.yaml",
        ticketText("TKT-12", { body: `|\n  ${"x".repeat(200_000)}` }),
        /has 200\d+ bytes; 131072 are the most/,
      ],
      ["TKT-13.yaml", "!!js/function 'x'\n", /./],
      ["TKT-14.yaml", ticketText("TKT-14", { scope: "\n  allow:\n    - ../outside" }), /`scope` cannot be used/],
      ["tkt-15.yaml", ticketText("TKT-15"), /its name is no id/],
      ["TKT-16.yml", ticketText("TKT-16"), /its name is no id/],
    ];
    for (const id of good) write(join(repo, file(id)), ticketText(id));
    for (const [name, text] of bad) write(join(repo, ".nomos/tickets", name), text as string);
    write(join(repo, ".nomos/tickets/README.md"), "about tickets");
    write(join(repo, ".nomos/tickets/TKT-17.yaml/inner.yaml"), "x");
    write(join(repo, `.nomos/tickets/ARCHIVE/TKT-18.yaml`), ticketText("TKT-18"));
    write(join(repo, `.nomos/tickets/ARCHIVE/${good[0]}.yaml`), ticketText(good[0] ?? ""));
    symlinkSync("/etc/passwd", join(repo, ".nomos/tickets/TKT-19.yaml"));
    person(repo, "add", "--all");
    person(repo, "commit", "-qm", "tickets");
    const reader = createTicketReader(git, scratchOf(bench));
    const { tickets, faults } = await reader.read(await placeOf(bench));
    expect([...tickets.keys()].toSorted()).toEqual([...good, "TKT-18"].toSorted());
    expect(tickets.get("TKT-18")).toMatchObject({ isArchived: true, path: ".nomos/tickets/ARCHIVE/TKT-18.yaml" });
    expect(tickets.get(good[0] ?? "")?.ticket).toMatchObject({
      title: `Do ${good[0]}`,
      body: "First line.\nSecond line: with a colon.",
    });
    const told = new Map(faults.map((one) => [one.path.replace(".nomos/tickets/", ""), one]));
    for (const [name, , message] of bad) expect(told.get(name)?.message, name).toMatch(message);
    expect(told.get("TKT-17.yaml")?.message).toMatch(/it is no file/);
    expect(told.get("TKT-19.yaml")?.message).toMatch(/it is no file/);
    expect(told.get(`ARCHIVE/${good[0]}.yaml`)?.message).toMatch(/has the same id/);
    expect(told.size).toBe(bad.length + 3);
    for (const { remedy } of faults) expect(remedy).toMatch(/\.$/);
  },
);

proves("GT-5", "10,000 tickets: read in a second, and flat when nothing or one of them changed", async () => {
  using bench = setUpBench();
  const { repo } = bench;
  commitMany(
    repo,
    Array.from({ length: 10_000 }, (_, n) => [file(ticketIdOf(n)), ticketText(ticketIdOf(n))] as const),
  );
  const reader = createTicketReader(git, scratchOf(bench));
  const timed = async () => {
    const place = await placeOf(bench);
    const startMs = performance.now();
    const files = await reader.read(place);
    return { files, ms: performance.now() - startMs };
  };
  const cold = await timed();
  expect({ tickets: cold.files.tickets.size, faults: cold.files.faults }).toEqual({ tickets: 10_000, faults: [] });
  const warm = await timed();
  expect(warm.files).toBe(cold.files);
  commitMany(repo, [["src/other.ts", "nothing of tickets"]]);
  const same = await timed();
  expect(same.files.tickets).toBe(cold.files.tickets);
  commitMany(repo, [
    [file(ticketIdOf(7)), ticketText(ticketIdOf(7), { title: "Changed" })],
    [file(ticketIdOf(8)), null],
  ]);
  const changed = await timed();
  expect(changed.files.tickets.get(ticketIdOf(7))?.ticket.title).toBe("Changed");
  expect(changed.files.tickets.size).toBe(9999);
  expect(cold.ms).toBeLessThan(5000);
  expect(warm.ms).toBeLessThan(20);
  expect(changed.ms).toBeLessThan(cold.ms);
});
