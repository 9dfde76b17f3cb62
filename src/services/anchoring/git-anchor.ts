import { realpath } from "node:fs/promises";
import { NomosError } from "../../contract/index.ts";
import { hex, sameBytes } from "../../domains/index.ts";
import { createGitRunner, findRepository } from "../../host/index.ts";
import { type Checkpoint, isSignedBy, parseCheckpoint, type SignedCheckpoint } from "../../store/index.ts";
import { type Anchor, type AnchoredLog, anchorDisagrees, anchorFailed, type Finding, KNOWS_NOTHING } from "./anchor.ts";

interface Tip {
  readonly commit: string;
  readonly known: Checkpoint;
}

export interface GitAnchorOptions {
  readonly repo: string;
  /** A ref used for nothing else: its commits hold only the file `checkpoint`. */
  readonly ref: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const GIT_TIMEOUT_MS = 30_000;
const OUTPUT_BYTES_MAX = 1_048_576;
/** So many ids, of up to 65 bytes each, fit into the output limit. */
const HISTORY_MAX = 15_000;
const IDENTITY = { name: "nomos", email: "nomos@localhost" };

/** Stores each checkpoint as a commit on a ref of a repository. Uses plumbing commands only, so no work tree is touched. */
export function createGitAnchor({ repo, ref, environment }: GitAnchorOptions, log: AnchoredLog): Anchor {
  const runner = createGitRunner(environment);
  const git = async (signal: AbortSignal, args: readonly string[], input = ""): Promise<string | null> => {
    const failed = (reason: string, cause?: unknown) =>
      anchorFailed(`git ${args[0]} failed`, { repo, ref, reason }, cause);
    const limits = { timeoutMs: GIT_TIMEOUT_MS, outputBytesMax: OUTPUT_BYTES_MAX };
    try {
      const found = await findRepository(runner, await realpath(repo));
      if (found === null) throw failed("it is no repository");
      const options = { gitDir: found.commonDir, identity: IDENTITY, signal, input, ...limits };
      const { exitCode, stdout, stderr } = await runner.run(args, options);
      if (exitCode === 0) return stdout.toString().trimEnd();
      if (exitCode === 1) return null;
      throw failed(stderr.trim() || `it ended with ${exitCode}`);
    } catch (thrown) {
      if (thrown instanceof NomosError && thrown.code === "anchor_failed") throw thrown;
      throw failed(thrown instanceof Error ? thrown.message : String(thrown), thrown);
    }
  };
  const must = async (signal: AbortSignal, args: readonly string[], input?: string): Promise<string> => {
    const found = await git(signal, args, input);
    if (found === null) throw anchorFailed(`git ${args[0]} refused`, { repo, ref });
    return found;
  };

  const noteAt = async (commit: string, signal: AbortSignal): Promise<Checkpoint> => {
    const files = await must(signal, ["ls-tree", "--name-only", commit]);
    const note = files === "checkpoint" ? await must(signal, ["cat-file", "blob", `${commit}:checkpoint`]) : "";
    const known = parseCheckpoint(`${note}\n`);
    if (known === null) throw anchorFailed(`${ref} holds something else than checkpoints`, { repo, ref });
    return known;
  };
  const tipOf = async (signal: AbortSignal): Promise<Tip | null> => {
    const commit = await git(signal, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
    return commit === null ? null : { commit, known: await noteAt(commit, signal) };
  };
  const isOfThisLog = (known: Checkpoint): boolean => known.origin === log.key.name && isSignedBy(known, log.key);
  const isContained = async (known: Checkpoint): Promise<boolean> =>
    isOfThisLog(known) && sameBytes(await log.tree.rootAt(known.size), known.root);

  /** The newest anchored checkpoint of at most `size` events; null when all cover more. */
  const rememberedUpTo = async (tip: string, size: number, signal: AbortSignal): Promise<Checkpoint | null> => {
    const list = await must(signal, ["rev-list", "--first-parent", `--max-count=${HISTORY_MAX}`, tip]);
    const commits = list.split("\n");
    let [found, from, to]: [Checkpoint | null, number, number] = [null, 0, commits.length];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      const known = await noteAt(commits[middle] ?? tip, signal);
      if (known.size > size) from = middle + 1;
      else [found, to] = [known, middle];
    }
    return found;
  };

  /** Refuses unless the tip is an earlier checkpoint of this log. */
  const expectEarlier = async (known: Checkpoint, size: number): Promise<void> => {
    if (!isOfThisLog(known))
      throw anchorDisagrees(`${ref} holds checkpoints of another log`, { repo, ref, origin: known.origin });
    if (known.size <= size && (await isContained(known))) return;
    const sizes = { anchorSize: known.size, size };
    throw anchorDisagrees("the anchor has a checkpoint that this log does not come to", { repo, ref, ...sizes });
  };

  return {
    kind: "git",
    where: `${repo} ${ref}`,
    put: async ({ note, size }: SignedCheckpoint, signal) => {
      const tip = await tipOf(signal);
      if (tip !== null) await expectEarlier(tip.known, size);
      if (tip !== null && tip.known.size >= size) return;
      const blob = await must(signal, ["hash-object", "-w", "--stdin"], note);
      const tree = await must(signal, ["mktree"], `100644 blob ${blob}\tcheckpoint\n`);
      const parent = tip === null ? [] : ["-p", tip.commit];
      const commit = await must(signal, ["commit-tree", tree, ...parent, "-m", `checkpoint over ${size} events`]);
      await must(signal, ["update-ref", ref, commit, tip?.commit ?? ""]);
    },
    ask: async ({ size }, signal) => {
      const tip = await tipOf(signal);
      if (tip === null) return KNOWS_NOTHING;
      const { commit, known } = tip;
      const found = (verdict: Finding["verdict"]): Finding => ({ verdict, size: known.size, root: hex(known.root) });
      // If the newest checkpoint covers more events than this log, only an older one can show whether both are the same log.
      const shared = known.size <= size ? known : await rememberedUpTo(commit, size, signal);
      if (!isOfThisLog(known) || (shared !== null && !(await isContained(shared)))) return found("contradicts");
      return found(known.size > size ? "newer" : "agrees");
    },
  };
}
