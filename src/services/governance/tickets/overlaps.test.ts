import { expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { overlapOf, parseTicket, type Scope } from "../../../domains/index.ts";
import { overlapMap } from "./overlaps.ts";
import type { TicketBook } from "./ticket-book.ts";

function bookOf(scopes: readonly Scope[]): TicketBook {
  const tickets = new Map(
    scopes.map((scope, n) => {
      const id = `TKT-${n}`;
      const ticket = parseTicket({ id, title: id, scope });
      if ("faults" in ticket) throw new Error(JSON.stringify(ticket.faults));
      return [id, { ticket, path: "", source: "", isArchived: false }];
    }),
  );
  return {
    files: { tree: "", tickets, faults: [] },
    statuses: new Map(),
    leases: new Map(),
    nowMs: 0,
  } as unknown as TicketBook;
}

const clock = { steadyMs: () => performance.now() };

proves(
  "GT-21",
  "the map has the pairs that comparing each with each has, also where a folder tells enough",
  async () => {
    const allow = [
      "src/a/**",
      "src/b/**",
      "src/**/x.ts",
      "docs/*.md",
      "**",
      "src/a",
      "*/a/y",
      "src/ab/**",
      "README.md",
      "s*/a/**",
    ];
    const scopes = [
      ...allow.map((one) => ({ allow: [one], deny: [] })),
      { allow: ["src/**"], deny: ["src/a"] },
      { allow: ["docs/**", "src/b/x.ts"], deny: ["docs"] },
    ];
    const { overlaps, tickets, isWhole } = await overlapMap(bookOf(scopes), clock);
    expect({ tickets, isWhole }).toEqual({ tickets: scopes.length, isWhole: true });
    const found = overlaps.map(({ a, b }) => `${a.ticket.id} ${b.ticket.id}`);
    const wanted = scopes.flatMap((one, at) =>
      scopes
        .slice(at + 1)
        .flatMap((other, more) => (overlapOf(one, other) === null ? [] : [`TKT-${at} TKT-${at + 1 + more}`])),
    );
    expect(found).toEqual(wanted);
  },
);

proves(
  "GT-21",
  "1,000 tasks are compared within the effort, others are served meanwhile, and what is left out is told",
  async () => {
    const apart = Array.from({ length: 1000 }, (_, n) => ({ allow: [`src/${n}/**`], deny: [] }));
    expect(await overlapMap(bookOf(apart), clock)).toEqual({ overlaps: [], tickets: 1000, isWhole: true });
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 1);
    const same = Array.from({ length: 200 }, (_, n) => ({ allow: [`**/a*b${n}*/**/*d*f*`], deny: [] }));
    const { overlaps, isWhole } = await overlapMap(bookOf(same), clock);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(0);
    expect({ shown: overlaps.length, isWhole }).toEqual({ shown: 500, isWhole: false });
    let nowMs = 0;
    const steadyMs = () => {
      nowMs += 100;
      return nowMs;
    };
    expect(await overlapMap(bookOf(apart), { steadyMs })).toMatchObject({ tickets: 1000, isWhole: false });
  },
);
