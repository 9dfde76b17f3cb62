import { join } from "node:path";
import { createLawMaker, type MakeLaw } from "../../src/governance/setup/law-maker.ts";
import type { SetupPlace } from "../../src/governance/setup/open-setup.ts";
import { createGitRunner } from "../../src/host/index.ts";
import { type Bench, type BenchOptions, setUpBench } from "./worktree-bench.ts";

/** A person's repository that gets a law, and loses it again. */
export interface SetupBench extends Bench {
  readonly place: SetupPlace;
  readonly make: MakeLaw;
  readonly person: string;
}

export function setUpLawBench(options: BenchOptions = {}): SetupBench {
  const bench = setUpBench(options);
  const person = join(bench.directory, "person");
  const environment = { PATH: process.env["PATH"] ?? "", HOME: person, LC_ALL: "C" };
  const place: SetupPlace = {
    git: createGitRunner(environment),
    environment,
    scratch: join(bench.directory, "home", "tmp", "setup"),
    home: join(bench.directory, "home"),
  };
  const make = createLawMaker({ git: place.git, scratch: place.scratch, signer: null, nowMs: () => Date.UTC(2026, 0) });
  return { ...bench, place, make, person };
}
