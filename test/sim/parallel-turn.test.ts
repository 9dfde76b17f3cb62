import { expect } from "vitest";
import { proves } from "../support/proves.ts";
import { type ParallelTurn, runParallelTurn } from "./parallel-turn.ts";

const TIMEOUT_MS = 120_000;

proves(
  "TU-1",
  "three parallel effects, two questions and a process: a crash at any flush leaves a correct effect ledger",
  async () => {
    const told: ParallelTurn[] = [];
    for (const when of ["before", "after"] as const)
      for (let at = 1; ; at += 1) {
        const turn = await runParallelTurn({ at, when });
        expect({ at, when, problems: turn.problems }).toEqual({ at, when, problems: [] });
        // A turn ends where an effect had begun, and goes on where none had.
        const outcome = turn.outlived === false ? "interrupted" : "completed";
        expect({ at, when, outcome: turn.outcome }).toEqual({ at, when, outcome });
        told.push(turn);
        if (turn.flushes < at) break;
      }
    expect(told.filter(({ outlived }) => outlived === true).length).toBeGreaterThan(2);
    expect(told.filter(({ outlived }) => outlived === false).length).toBeGreaterThan(2);
  },
  TIMEOUT_MS,
);
