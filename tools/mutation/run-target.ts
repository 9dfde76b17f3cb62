import { dirname } from "node:path";
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

/** Test files that reach a mutant only while they load: so many of them are run for it, those of its folder first. */
const WHOLE_FILES_MAX = 6;
/** The quick tests of all files first: they kill most. The compiler comes before the slow ones, which it spares work. */
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

  const near = await recordAll(session, testFiles(root, target.near), options);
  await huntPaces(session, near, PACES.slice(0, 1), { living, note, options });
  say(`  ${tried.length} mutants, ${count()} killed by quick near tests`);
  const refused = await refusedByPlainTypes(root, files, tried, living);
  for (const one of refused) living.delete(one);
  say(`  ${refused.size} more refused by the compiler`);
  /** What a slow test has to look for: an explained survivor needs none. */
  const unexplained = (): Hunt => {
    const open = tried.filter((mutant) => living.has(mutant.id) && !options.isExplained(mutant));
    return { living: new Set(open.map((mutant) => mutant.id)), note, options };
  };
  if (!options.quick) {
    await huntPaces(session, near, PACES.slice(1), unexplained());
    await huntWhole(session, near, nearestFirst(made), WHOLE_FILES_MAX, unexplained());
  }
  const killedByTests = count() - refused.size;
  say(`  ${killedByTests} killed by near tests`);
  if (options.far) await huntFar(session, testFiles(root, target.far), unexplained());
  const killedByTypes = refused.size;
  const killedByDaemons = count() - killedByTests - killedByTypes;
  const survivors = tried.filter((mutant) => living.has(mutant.id));
  return { files, made, tried, survivors, killedByTests, killedByTypes, killedByDaemons };
}

interface Hunt {
  readonly living: Set<number>;
  readonly note: (kill: Kill) => void;
  readonly options: HuntOptions;
}

async function huntPaces(
  session: TestSession,
  reaches: readonly Reach[],
  paces: readonly (typeof PACES)[number][],
  hunt: Hunt,
): Promise<void> {
  for (const taking of paces)
    for (const reach of reaches) {
      if (isLate(hunt.options)) return;
      const before = hunt.living.size;
      const startedMs = performance.now();
      const isTold = await huntByTests(session, reach, taking, hunt.living, hunt.note);
      if (!isTold) hunt.options.say(`  ${reach.file}: broke off before it tried anything; survivors may be its own`);
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      if (before > hunt.living.size)
        hunt.options.say(`  ${reach.file}: ${before - hunt.living.size} killed in ${seconds} s`);
    }
}

/** Far tests share a daemon between tests, so each runs as a whole. */
async function huntFar(session: TestSession, tests: readonly string[], hunt: Hunt): Promise<void> {
  if (hunt.living.size === 0) return;
  const reaches = await recordAll(session, tests, hunt.options);
  await huntWhole(session, reaches, (_mutant, reaching) => reaching, tests.length, hunt);
}

async function huntWhole(
  session: TestSession,
  reaches: readonly Reach[],
  ordered: (mutant: number, reaching: readonly Reach[]) => readonly Reach[],
  filesMax: number,
  hunt: Hunt,
): Promise<void> {
  for (const mutant of [...hunt.living]) {
    const reaching = reaches.filter((reach) =>
      filesMax === reaches.length ? reachesAtAll(reach, mutant) : reach.early.has(mutant),
    );
    for (const reach of ordered(mutant, reaching).slice(0, filesMax)) {
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

/** The tests of the mutant's own folder first; the fastest first among equals. */
function nearestFirst(made: readonly Mutant[]): (mutant: number, reaching: readonly Reach[]) => readonly Reach[] {
  const folders = new Map(made.map(({ id, file }) => [id, dirname(file)]));
  const isFar = ({ file }: Reach, mutant: number): number => (dirname(file) === folders.get(mutant) ? 0 : 1);
  return (mutant, reaching) => reaching.toSorted((one, other) => isFar(one, mutant) - isFar(other, mutant));
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
