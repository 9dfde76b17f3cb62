import { expect } from "vitest";
import { proves } from "../support/proves.ts";
import { sampled } from "../support/sampled.ts";
import { type EngineTurn, type Fault, runEngineTurn } from "./engine-turn.ts";

const TIMEOUT_MS = 240_000;
const PROMPT = "run mark-a\nshaky one\nask Go on?\nrun mark-b\nlimit two\nrun mark-c";
/** The n-th fault of every so many. */
const EVERY = { daemon: 1, engine: sampled(1, 3) };

async function atEvery(who: Fault["who"], agent: "demo" | "careful", every: number): Promise<readonly EngineTurn[]> {
  const told: EngineTurn[] = [];
  for (let at = 1; ; at += every) {
    const turn = await runEngineTurn({ who, at }, { agent, prompt: PROMPT });
    expect({ who, at, problems: turn.problems }).toEqual({ who, at, problems: [] });
    expect({ who, at, outcome: turn.outcome }).toEqual({ who, at, outcome: "completed" });
    told.push(turn);
    if (turn.count < at) return told;
  }
}

for (const agent of ["demo", "careful"] as const)
  proves(
    "REC-1",
    `a turn of the engine goes on after a crash of the daemon at any flush (${agent === "demo" ? "rules allow" : "a person allows"})`,
    async () => {
      for (const who of ["daemon before", "daemon after"] as const) {
        const turns = await atEvery(who, agent, EVERY.daemon);
        expect(turns.length).toBeGreaterThan(20);
        expect(turns.filter(({ resumed }) => resumed > 0).length).toBeGreaterThan(10);
      }
    },
    TIMEOUT_MS,
  );

proves(
  "REC-2",
  "a turn of the engine goes on after a crash of its process at any line",
  async () => {
    const turns = await atEvery("engine", "careful", EVERY.engine);
    expect(turns.filter(({ resumed }) => resumed > 0).length).toBeGreaterThan(turns.length / 3);
  },
  TIMEOUT_MS,
);
