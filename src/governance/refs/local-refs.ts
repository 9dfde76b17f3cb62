import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, HostError, type RepositoryGit } from "../../host/index.ts";
import { createOidReader, type OidReader } from "./read-oids.ts";
import { createTextReader, type TextReader } from "./read-texts.ts";
import { noObject, ownerOf, type RefPlace } from "./ref-place.ts";
import { commitBytes, writeObject, writesAsGit } from "./write-commit.ts";

/** Documents under refs of one clone. A document is a commit of the empty tree; its message is the text. */
export interface LocalRefs extends OidReader, TextReader {
  /** Makes the commit. Nothing leads to it yet. What a remote gets anyway need not be flushed here. */
  readonly write: (
    place: RefPlace,
    text: string,
    parents: readonly string[],
    options?: { readonly isFlushed: boolean },
  ) => Promise<string>;
  /** All of them or none; false where one of them was not at `from`. */
  readonly move: (place: RefPlace, moves: readonly RefMovement[]) => Promise<boolean>;
  /** Starts git while something else takes its time. One of the two has to be called. */
  readonly prepare: (place: RefPlace) => Promise<PreparedMove>;
  readonly list: (
    place: RefPlace,
    prefix: string,
  ) => Promise<readonly { readonly ref: string; readonly oid: string }[]>;
}

export interface PreparedMove {
  readonly move: LocalRefs["move"];
  readonly drop: () => Promise<void>;
}

/** Null: there is no such ref. */
export interface RefMovement {
  readonly ref: string;
  readonly from: string | null;
  readonly to: string | null;
}

const IDENTITY = { name: "nomos", email: "nomos@local.invalid" };
const EMPTY_TREES = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
} as const;
/** Also for one that is prepared while a remote is asked several times. */
const MOVE_TIMEOUT_MS = 180_000;
const TRIES = 4;
const TRY_AGAIN_MS = 50;
/** Our git has a time limit of minutes, so a lock of this age belongs to nobody. */
const LOCK_LEFT_MS = 600_000;

export function createLocalRefs(git: RepositoryGit, clock: Pick<Clock, "nowMs" | "sleep">): LocalRefs {
  const oids = createOidReader(git);
  const texts = createTextReader(git, EMPTY_TREES);
  const moveBy = async (
    once: (moves: readonly RefMovement[]) => Promise<string | null>,
    place: RefPlace,
    moves: readonly RefMovement[],
  ): Promise<boolean> => {
    for (let tried = 1; ; tried++) {
      const words = await (tried === 1 ? once(moves) : startMove(git, place).then((told) => told(moves)));
      if (words === null) return true;
      const now = await Promise.all(moves.map(({ ref }) => oids.oidOf(place, ref)));
      if (now.some((oid, at) => oid !== moves[at]?.from)) return false;
      if (tried === TRIES) throw locked(words);
      // Another git holds a lock for a moment, or left it behind when it was killed.
      if (!(await removeLeftLock(place, words, clock.nowMs()))) await clock.sleep(TRY_AGAIN_MS * tried);
    }
  };
  return {
    ...oids,
    ...texts,
    move: async (place, moves) => moveBy(await startMove(git, place), place, moves),
    prepare: async (place) => {
      const once = await startMove(git, place);
      return { move: (_place, moves) => moveBy(once, place, moves), drop: async () => void (await once([])) };
    },
    write: async (place, text, given, { isFlushed } = { isFlushed: true }) => {
      if (text.includes("\0")) throw new Error("a document has no NUL");
      const [tree, parents] = [EMPTY_TREES[place.objectFormat], [...new Set(given)]];
      const bytes = commitBytes({ tree, parents, text, author: IDENTITY, atMs: clock.nowMs() });
      const owner = await ownerOf(place);
      const oid = writesAsGit(place, owner.user === undefined)
        ? await writeObject(place, bytes, isFlushed)
        : await git.text(["hash-object", "-w", "-t", "commit", "--stdin"], {
            ...owner,
            gitDir: place.commonDir,
            input: bytes,
          });
      texts.know(oid, text);
      return oid;
    },
    list: async ({ commonDir }, prefix) => {
      const told = await git.text(["for-each-ref", "--format=%(refname) %(objectname)", prefix], { gitDir: commonDir });
      return told
        .split("\n")
        .filter(Boolean)
        .map((line) => ({ ref: line.slice(0, line.lastIndexOf(" ")), oid: line.slice(line.lastIndexOf(" ") + 1) }));
    },
  };
}

/**
 * Starts git. What it returns is called once: null when it is done, else what git said. Links among refs are not followed:
 * one could lead to a branch.
 */
async function startMove(
  git: RepositoryGit,
  place: RefPlace,
): Promise<(moves: readonly RefMovement[]) => Promise<string | null>> {
  const owner = await ownerOf(place);
  const order = Promise.withResolvers<readonly RefMovement[]>();
  async function* orders(): AsyncGenerator<string> {
    yield "start\n";
    const moves = await order.promise;
    const lines = moves.flatMap((one) => ["option no-deref", lineOf(place, one)]);
    yield moves.length === 0 ? "abort\n" : `${lines.join("\n")}\nprepare\ncommit\n`;
  }
  const ended = git
    .run(["update-ref", "-m", "nomos", "--stdin"], {
      ...owner,
      gitDir: place.commonDir,
      identity: IDENTITY,
      input: orders(),
      timeoutMs: MOVE_TIMEOUT_MS,
      endsGently: true,
    })
    .then(
      ({ exitCode, stderr }) => (exitCode === 0 ? null : stderr.trim()),
      (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
    );
  return (moves) => {
    order.resolve(moves);
    return ended;
  };
}

function lineOf(place: RefPlace, { ref, from, to }: RefMovement): string {
  const old = from ?? noObject(place);
  return to === null ? `delete ${ref} ${old}` : `update ${ref} ${to} ${old}`;
}

const LOCK = /Unable to create '(.+\.lock)': File exists/;

async function removeLeftLock({ commonDir }: RefPlace, words: string, nowMs: number): Promise<boolean> {
  const [, path = ""] = LOCK.exec(words) ?? [];
  if (!path.startsWith(join(commonDir, "refs", "nomos", "/"))) return false;
  const found = await stat(path).catch(() => null);
  if (found === null || nowMs - found.mtimeMs < LOCK_LEFT_MS) return found === null;
  await rm(path, { force: true });
  return true;
}

function locked(words: string): HostError {
  const [, path] = LOCK.exec(words) ?? [];
  return new HostError("git_failed", `git update-ref failed: ${words}`, {
    remedy: path === undefined ? "read the reason" : `if no git runs in the repository, remove ${path}`,
    details: { command: "update-ref", reason: words },
  });
}
