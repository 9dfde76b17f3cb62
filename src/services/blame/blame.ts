import { join } from "node:path";
import { NomosError } from "../../contract/index.ts";
import { createGitRunner, HostError, openBlame, utf8 } from "../../host/index.ts";
import type { Store } from "../../store/index.ts";
import { blamedPlace } from "./blamed-place.ts";
import { type ExplainedLine, explainLines } from "./explain-lines.ts";
import { createLandingFacts } from "./landing-facts.ts";
import { type ProofParts, proofLines } from "./proof-lines.ts";

/** Says who wrote the lines of a file: which turn of which session, or a person. */
export interface BlameService {
  readonly file: (wish: BlameFileWish) => Promise<FileBlame>;
  /** What a proof of these lines consists of, without the proofs of its events. */
  readonly proofOf: (lines: readonly ExplainedLine[]) => Promise<ProofParts>;
}

export interface BlameFileWish {
  readonly cwd: string;
  readonly path: string;
  /** First and last line, from 1. */
  readonly range: readonly [number, number] | null;
  /** Folders that the caller may read; null: all. */
  readonly within: readonly string[] | null;
}

export interface FileBlame {
  readonly path: string;
  readonly repository: string;
  readonly head: string | null;
  readonly lines: readonly ExplainedLine[];
  /** The line to go on with; null at the end. */
  readonly next: number | null;
  readonly isBinary: boolean;
  readonly followsMoves: boolean;
}

/** More lines come with the next call. */
const BLAME_LINES_MAX = 20_000;

export function createBlame(deps: {
  readonly store: Store;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}): BlameService {
  const { store, home, environment } = deps;
  const git = createGitRunner(environment);
  const facts = createLandingFacts(store);
  const scratch = join(home, "tmp", "git");
  return {
    proofOf: (lines) => proofLines(store, facts, lines),
    file: async ({ cwd, path, range, within }) => {
      const place = await blamedPlace(git, { cwd, path }, { home, within });
      const { repository } = place;
      await using opened = await openBlame(git, repository, scratch);
      const from = range?.[0] ?? 1;
      const to = Math.min(range?.[1] ?? Number.MAX_SAFE_INTEGER, from + BLAME_LINES_MAX - 1);
      const blamed = await opened.blame({ ...place, range: [from, to] }).catch(inOwnWords(place.path));
      const explained = await explainLines({ facts, opened, gitDir: repository.commonDir }, blamed.lines);
      const isMore = to < Math.min(blamed.count, range?.[1] ?? blamed.count);
      return {
        path: place.path,
        repository: repository.root ?? repository.gitDir,
        head: opened.head,
        lines: blamed.lines.map((line, at) => ({
          ...line,
          shown: utf8(line.text),
          explained: explained[at] ?? { by: "person" },
        })),
        next: isMore ? to + 1 : null,
        isBinary: blamed.isBinary,
        followsMoves: blamed.followsMoves,
      };
    },
  };
}

/** The file may well be there, and not be committed. */
function inOwnWords(path: string): (thrown: unknown) => never {
  return (thrown) => {
    if (!(thrown instanceof HostError) || thrown.code !== "file_missing") throw thrown;
    throw new NomosError(
      "file_missing",
      { path },
      { message: `Nothing to tell: ${thrown.message}.`, remedy: COMMIT_IT },
    );
  };
}

const COMMIT_IT = "Name a file that `git ls-files` shows, and commit it first.";
