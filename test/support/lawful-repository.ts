import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { buildLaw, composeLaw } from "../../src/governance/law/build-law.ts";
import type { Signer } from "../../src/governance/law/sealed-policy.ts";
import { createGitRunner } from "../../src/host/index.ts";
import { openLogKey } from "../../src/store/index.ts";

export const CONSTITUTION = `# The law of this repository

Secrets stay where they are.

\`\`\`yaml nomos-policy
id: SEC-1
type: filesystem_deny
patterns: ["**/.env*", "~/.ssh/**"]
actions: [read, write]
message: Secrets stay where they are.
\`\`\`

Sources are not deleted.

\`\`\`yaml nomos-policy
id: DEL-1
type: filesystem_deny
patterns: [src/**]
actions: [delete]
\`\`\`
`;

export const CONFIG = "version: 1\nbudgets: { files: 5, lines: 100 }\nchecks: [[npm, test]]\n";

export interface LawfulRepository {
  readonly root: string;
  readonly git: ReturnType<typeof createGitRunner>;
  readonly run: (...args: readonly string[]) => string;
  readonly write: (path: string, text: string) => void;
  /** Compiles and seals what is checked out, and commits it if anything is new. */
  readonly enact: (signer?: Signer | null) => Promise<void>;
  readonly commit: (message?: string) => string;
  /** A folder beside the repository. */
  readonly beside: (name: string) => string;
}

const NOW_MS = Date.parse("2026-01-02T03:04:05Z");

/** A person's repository with a law on `main`. */
export async function lawfulRepository(signer: Signer | null = null): Promise<LawfulRepository> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "nomos-law-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, "repository");
  const git = createGitRunner({ PATH: process.env["PATH"] });
  const run = (...args: readonly string[]): string => gitIn(root, ...args);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const commit = (message = "change"): string => {
    run("add", "-A");
    if (run("status", "--porcelain") !== "") run("commit", "-qm", message);
    return run("rev-parse", "HEAD");
  };
  const enact = async (by: Signer | null = signer): Promise<void> => {
    await buildLaw(git, root);
    await composeLaw(git, root, { signer: by, nowMs: NOW_MS });
    commit("enact");
  };
  mkdirSync(root);
  run("init", "-q", "-b", "main");
  write("src/a.ts", "export {};\n");
  write(".nomos/CONSTITUTION.md", CONSTITUTION);
  write(".nomos/config.yaml", CONFIG);
  await enact();
  return { root, git, run, write, enact, commit, beside: (name) => join(folder, name) };
}

export function gitIn(root: string, ...args: readonly string[]): string {
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", ...PERSON };
  return execFileSync("git", ["-C", root, ...args], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trimEnd();
}

const PERSON = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};

/** A key as a home has it. */
export async function lawSigner(): Promise<Signer> {
  const folder = mkdtempSync(join(tmpdir(), "nomos-law-key-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { verifier, signText } = await openLogKey(join(folder, "keys"));
  return { key: verifier.text, sign: signText };
}
