import { execFile } from "node:child_process";
import { sameBytes } from "../../kernel/index.ts";
import { isSignedBy, parseCheckpoint, type SignedCheckpoint, type TreeHead } from "../../store/index.ts";
import { type Anchor, type AnchoredLog, anchorDisagrees, anchorFailed } from "./anchor.ts";

interface Tip {
  readonly commit: string;
  readonly size: number;
}

export interface GitAnchorOptions {
  readonly repo: string;
  /** A ref of its own: what it leads to holds the file `checkpoint` and nothing else. */
  readonly ref: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const GIT_TIMEOUT_MS = 30_000;
const OUTPUT_BYTES_MAX = 1_048_576;

/** Nothing that the repository's own configuration or hooks say is run: whoever can write there must not run as the daemon. */
const SETTINGS = ["core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "core.fsync=committed,reference"];
const IDENTITY = { name: "nomos", email: "nomos@localhost" };

/** Each checkpoint as a commit on a ref of a repository, made with plumbing alone: no work tree is touched. */
export function createGitAnchor({ repo, ref, environment }: GitAnchorOptions, log: AnchoredLog): Anchor {
  const env = {
    PATH: environment["PATH"],
    HOME: environment["HOME"],
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: IDENTITY.name,
    GIT_AUTHOR_EMAIL: IDENTITY.email,
    GIT_COMMITTER_NAME: IDENTITY.name,
    GIT_COMMITTER_EMAIL: IDENTITY.email,
  };
  const git = (signal: AbortSignal, args: readonly string[], input = ""): Promise<string | null> => {
    const argv = ["-C", repo, ...SETTINGS.flatMap((setting) => ["-c", setting]), ...args];
    const { promise, resolve, reject } = Promise.withResolvers<string | null>();
    const child = execFile(
      "git",
      argv,
      { env, signal, timeout: GIT_TIMEOUT_MS, maxBuffer: OUTPUT_BYTES_MAX },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout.trimEnd());
        else if (error.code === 1) resolve(null);
        else
          reject(anchorFailed(`git ${args[0]} failed`, { repo, ref, reason: stderr.trim() || error.message }, error));
      },
    );
    // A git that does not read its input has said why it ended.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
    return promise;
  };
  const must = async (signal: AbortSignal, args: readonly string[], input?: string): Promise<string> => {
    const found = await git(signal, args, input);
    if (found === null) throw anchorFailed(`git ${args[0]} refused`, { repo, ref });
    return found;
  };

  /** What the ref leads to now, and the size it is over; refused unless it is an earlier checkpoint of this log. */
  const tipOf = async (size: number, signal: AbortSignal): Promise<Tip | null> => {
    const commit = await git(signal, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
    if (commit === null) return null;
    const files = await must(signal, ["ls-tree", "--name-only", commit]);
    const note = files === "checkpoint" ? await must(signal, ["cat-file", "blob", `${commit}:checkpoint`]) : "";
    const known = parseCheckpoint(`${note}\n`);
    if (known === null) throw anchorFailed(`${ref} holds something else than checkpoints`, { repo, ref });
    if (known.origin !== log.key.name || !isSignedBy(known, log.key))
      throw anchorDisagrees(`${ref} holds checkpoints of another log`, { repo, ref, origin: known.origin });
    await compare(known, size);
    return { commit, size: known.size };
  };
  const compare = async (known: TreeHead, size: number): Promise<void> => {
    const isOurs = known.size <= size && sameBytes(await log.tree.rootAt(known.size), known.root);
    if (isOurs) return;
    const sizes = { anchorSize: known.size, size };
    throw anchorDisagrees("the anchor has a checkpoint that this log does not come to", { repo, ref, ...sizes });
  };

  return {
    kind: "git",
    where: `${repo} ${ref}`,
    put: async ({ note, size }: SignedCheckpoint, signal) => {
      const tip = await tipOf(size, signal);
      if (tip !== null && tip.size >= size) return;
      const blob = await must(signal, ["hash-object", "-w", "--stdin"], note);
      const tree = await must(signal, ["mktree"], `100644 blob ${blob}\tcheckpoint\n`);
      const parent = tip === null ? [] : ["-p", tip.commit];
      const commit = await must(signal, ["commit-tree", tree, ...parent, "-m", `checkpoint over ${size} events`]);
      await must(signal, ["update-ref", ref, commit, tip?.commit ?? ""]);
    },
  };
}
