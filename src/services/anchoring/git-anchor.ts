import { realpath } from "node:fs/promises";
import { NomosError } from "../../contract/index.ts";
import { createGitRunner, findRepository } from "../../host/index.ts";
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
const IDENTITY = { name: "nomos", email: "nomos@localhost" };

/** Each checkpoint as a commit on a ref of a repository, made with plumbing alone: no work tree is touched. */
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
