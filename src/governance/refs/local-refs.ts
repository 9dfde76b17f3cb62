import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, HostError, type RepositoryGit } from "../../host/index.ts";
import { createOidReader, type OidReader } from "./read-oids.ts";
import { createTextReader, type TextReader } from "./read-texts.ts";
import { noObject, ownerOf, type RefPlace } from "./ref-place.ts";

/** Documents under refs of one clone. A document is a commit of the empty tree; its message is the text. */
export interface LocalRefs extends OidReader, TextReader {
  /** Makes the commit. Nothing leads to it yet. */
  readonly write: (place: RefPlace, text: string, parents: readonly string[]) => Promise<string>;
  /** All of them or none; false where one of them was not at `from`. */
  readonly move: (place: RefPlace, moves: readonly RefMovement[]) => Promise<boolean>;
  readonly list: (
    place: RefPlace,
    prefix: string,
  ) => Promise<readonly { readonly ref: string; readonly oid: string }[]>;
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
const TRIES = 4;
const TRY_AGAIN_MS = 50;
/** Our git has a time limit of seconds, so a lock of this age belongs to nobody. */
const LOCK_LEFT_MS = 600_000;

export function createLocalRefs(git: RepositoryGit, clock: Pick<Clock, "nowMs" | "sleep">): LocalRefs {
  const oids = createOidReader(git);
  const texts = createTextReader(git, EMPTY_TREES);
  const move: LocalRefs["move"] = async (place, moves) => {
    for (let tried = 1; ; tried++) {
      const words = await moveOnce(git, place, moves);
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
    move,
    write: async (place, text, parents) => {
      const told = [...new Set(parents)].flatMap((oid) => ["-p", oid]);
      const oid = await git.text(["commit-tree", EMPTY_TREES[place.objectFormat], ...told], {
        ...(await ownerOf(place)),
        gitDir: place.commonDir,
        identity: IDENTITY,
        settings: ["i18n.commitEncoding=utf-8"],
        input: text,
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

/** Null when it is done; else what git said. Links among refs are not followed: one could lead to a branch. */
async function moveOnce(git: RepositoryGit, place: RefPlace, moves: readonly RefMovement[]): Promise<string | null> {
  const none = noObject(place);
  const lines = moves.flatMap(({ ref, from, to }) => [
    "option no-deref",
    to === null ? `delete ${ref} ${from ?? none}` : `update ${ref} ${to} ${from ?? none}`,
  ]);
  const { exitCode, stderr } = await git.run(["update-ref", "-m", "nomos", "--stdin"], {
    ...(await ownerOf(place)),
    gitDir: place.commonDir,
    identity: IDENTITY,
    input: `start\n${lines.join("\n")}\nprepare\ncommit\n`,
    endsGently: true,
  });
  return exitCode === 0 ? null : stderr.trim();
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
