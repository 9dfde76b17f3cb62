import { execFileSync } from "node:child_process";
import { globSync, linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Decoys {
  /** The blob of the other repository that holds the secret. */
  readonly otherBlob: string;
  /** A word to search for, next to the secret. */
  readonly word: string;
  readonly clear: () => void;
}

export interface DecoysOrder {
  readonly root: string;
  readonly tag: string;
  readonly secret: string;
}

/** Typical files of a person, all containing the secret. */
export function layDecoys({ root, tag, secret }: DecoysOrder): Decoys {
  const lay = (path: string, text = `${secret}\n`, mode = 0o600): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(root, path), text, { mode });
  };
  for (const name of ["secret", "template/telling", "runtime/runtime-secret"]) lay(`outside/${name}`);
  for (const name of ["ledger", "short", "doomed", "modes", "swapped"]) lay(`outside/${name}`, "something\n");
  lay("outside/lines", "first line\nsecond line\n");
  lay("outside/tell.sh", `echo ${secret}\n`, 0o755);
  lay("outside/bin/tell", `#!/bin/sh\necho ${secret}\n`, 0o755);
  lay("outside/bin/git-tell", `#!/bin/sh\necho ${secret}\n`, 0o755);
  lay("outside/hooks/pre-commit", '#!/bin/sh\ntouch "$T"\n', 0o755);
  lay("outside/module.mjs", `export default "${secret}";\n`);
  lay("outside/telling.cjs", `console.log("${secret}");\n`);
  lay("outside/telling.py", `print("${secret}")\n`);
  lay("outside/gitconfig", `[user]\n\tname = ${secret}\n`);
  for (const name of [".ssh/id_ed25519", ".aws/credentials", ".netrc", ".bash_history", ".config/gh/hosts.yml"])
    lay(`person/${name}`);
  lay("person/.claude/.credentials.json");
  lay("person/.git-credentials", `https://person:${secret}@forge.test\n`);
  for (const name of [".bashrc", ".profile", ".gitconfig", ".npmrc"]) lay(`person/${name}`, "");
  mkdirSync(join(root, "person", "bin"));
  mkdirSync(join(root, "work"));
  // As package managers do with their store.
  lay("outside/store", "theirs\n");
  linkSync(join(root, "outside/store"), join(root, "work/linked"));
  lay("driver/driver.ts", "export default async ({ say }) => say('nothing');\n");
  lay("other/secret");
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", join(root, "other"), "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
    }).trim();
  git("init", "-q");
  git("config", "receive.denyCurrentBranch", "ignore");
  git("add", ".");
  git("commit", "-q", "-m", `about ${secret}`);
  const elsewhere = ["/tmp", "/var/tmp", "/dev/shm"].map((folder) => join(folder, `nomos-decoy-${tag}`));
  for (const path of elsewhere) writeFileSync(path, secret);
  return {
    otherBlob: git("rev-parse", "HEAD:secret"),
    word: `word${tag}`,
    clear: () => {
      const planted = globSync(["/tmp", "/var/tmp", "/dev/shm"].map((folder) => `${folder}/planted-${tag}*`));
      for (const path of [...elsewhere, ...planted]) rmSync(path, { recursive: true, force: true });
    },
  };
}
