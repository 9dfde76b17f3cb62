import { refusedByTypes } from "./check-types.ts";
import { copyTree, instrumentCopy } from "./copy-tree.ts";
import { findMutants } from "./find-mutants.ts";
import { huntByFile, huntByTests, type Kill, type Reach, recordReach } from "./hunt.ts";
import type { Mutant } from "./mutant.ts";
import { type SourceFile, sourceFiles, testFiles } from "./source-files.ts";
import type { Target } from "./targets.ts";
import { openTestSession, type TestSession } from "./test-session.ts";

export interface HuntOptions {
  readonly root: string;
  /** Only files whose path begins so. */
  readonly under: string | null;
  /** Tries this many mutants, chosen by the seed. */
  readonly sample: number | null;
  readonly seed: number;
  readonly endsAtMs: number;
  readonly far: boolean;
  /** The quickest tests only, for a first impression: what they leave alive may well be killed by others. */
  readonly quick: boolean;
  /** Such a survivor needs no daemon to look for it. */
  readonly isExplained: (mutant: Mutant) => boolean;
  readonly say: (line: string) => void;
}

export interface Hunted {
  readonly files: readonly SourceFile[];
  readonly made: readonly Mutant[];
  readonly tried: readonly Mutant[];
  readonly survivors: readonly Mutant[];
  readonly killedByTests: number;
  readonly killedByTypes: number;
  readonly killedByDaemons: number;
}

/** Test files that reach a mutant only while they load: so many of them are run for it, the fastest first. */
const WHOLE_FILES_MAX = 4;
/** The quick tests of all files first: they kill most. */
const PACES = [
  { fromMs: 0, toMs: 20 },
  { fromMs: 20, toMs: 200 },
  { fromMs: 200, toMs: Number.POSITIVE_INFINITY },
];

export async function runTarget(target: Target, options: HuntOptions): Promise<Hunted> {
  const { root, under, say } = options;
  const files = sourceFiles(root, target.files).filter(({ path }) => under === null || path.startsWith(under));
  let id = 0;
  const made = files.flatMap(({ path, text }) => findMutants(path, text)).map((found) => ({ ...found, id: ++id }));
  const tried = options.sample === null ? made : chosen(made, options.sample, options.seed);
  await using copy = await copyTree(root);
  await instrumentCopy(copy, files, tried);
  await using session = await openTestSession(copy.path);
  const living = new Set(tried.map((mutant) => mutant.id));
  const count = (): number => tried.length - living.size;
  const note = ({ mutant, by, why }: Kill): void => {
    living.delete(mutant);
    if (process.env["NOMOS_MUTATION_KILLS"]) say(`  killed ${mutant} by ${by}: ${why}`);
  };

  await huntNear(session, testFiles(root, target.near), { living, note, options });
  const killedByTests = count();
  say(`  ${tried.length} mutants, ${killedByTests} killed by near tests`);
  for (const one of await refusedByPlainTypes(root, files, tried, living)) living.delete(one);
  const killedByTypes = count() - killedByTests;
  say(`  ${killedByTypes} more refused by the compiler`);
  if (options.far) {
    const unexplained = tried.filter((mutant) => living.has(mutant.id) && !options.isExplained(mutant));
    const wanted = new Set(unexplained.map((mutant) => mutant.id));
    await huntFar(session, testFiles(root, target.far), { living: wanted, note, options });
  }
  const killedByDaemons = count() - killedByTests - killedByTypes;
  const survivors = tried.filter((mutant) => living.has(mutant.id));
  return { files, made, tried, survivors, killedByTests, killedByTypes, killedByDaemons };
}

interface Hunt {
  readonly living: Set<number>;
  readonly note: (kill: Kill) => void;
  readonly options: HuntOptions;
}

async function huntNear(session: TestSession, tests: readonly string[], hunt: Hunt): Promise<void> {
  const reaches = await recordAll(session, tests, hunt.options);
  for (const taking of hunt.options.quick ? PACES.slice(0, 1) : PACES)
    for (const reach of reaches) {
      if (isLate(hunt.options)) return;
      const before = hunt.living.size;
      const startedMs = performance.now();
      await huntByTests(session, reach, taking, hunt.living, hunt.note);
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      if (before > hunt.living.size)
        hunt.options.say(`  ${reach.file}: ${before - hunt.living.size} killed in ${seconds} s`);
    }
  if (!hunt.options.quick) await huntWhole(session, reaches, WHOLE_FILES_MAX, hunt);
}

/** Far tests share a daemon between tests, so each runs as a whole. */
async function huntFar(session: TestSession, tests: readonly string[], hunt: Hunt): Promise<void> {
  if (hunt.living.size === 0) return;
  await huntWhole(session, await recordAll(session, tests, hunt.options), tests.length, hunt);
}

async function huntWhole(session: TestSession, reaches: readonly Reach[], filesMax: number, hunt: Hunt): Promise<void> {
  for (const mutant of [...hunt.living]) {
    const reaching = reaches.filter((reach) =>
      filesMax === reaches.length ? reachesAtAll(reach, mutant) : reach.early.has(mutant),
    );
    for (const reach of reaching.slice(0, filesMax)) {
      if (isLate(hunt.options)) return;
      const kill = await huntByFile(session, reach, mutant);
      if (kill === null) continue;
      hunt.note(kill);
      break;
    }
  }
}

async function recordAll(
  session: TestSession,
  tests: readonly string[],
  { say }: HuntOptions,
): Promise<readonly Reach[]> {
  const reaches: Reach[] = [];
  for (const file of tests) {
    const reach = await recordReach(session, file);
    if (reach.failed) say(`  ${file} fails without a mutant: left out`);
    else reaches.push(reach);
  }
  return reaches.toSorted((one, other) => one.ms - other.ms);
}

async function refusedByPlainTypes(
  root: string,
  files: readonly SourceFile[],
  tried: readonly Mutant[],
  living: ReadonlySet<number>,
): Promise<ReadonlySet<number>> {
  await using plain = await copyTree(root);
  return await refusedByTypes(
    plain,
    files,
    tried.filter(({ id }) => living.has(id)),
  );
}

function reachesAtAll({ early, tests }: Reach, mutant: number): boolean {
  return early.has(mutant) || tests.some(({ reached }) => reached.includes(mutant));
}

function isLate({ endsAtMs }: HuntOptions): boolean {
  return Date.now() >= endsAtMs;
}

/** A sample that is the same for the same seed. */
function chosen(mutants: readonly Mutant[], size: number, seed: number): readonly Mutant[] {
  const order = mutants.map((mutant) => ({ mutant, at: scatter(mutant.id, seed) }));
  const kept = new Set(
    order
      .toSorted((one, other) => one.at - other.at)
      .slice(0, size)
      .map(({ mutant }) => mutant),
  );
  return mutants.filter((mutant) => kept.has(mutant));
}

function scatter(id: number, seed: number): number {
  let at = Math.imul(id + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b);
  at = Math.imul(at ^ (at >>> 15), 0x2c1b3c6d);
  return (at ^ (at >>> 12)) >>> 0;
}
