import { spawnSync } from "node:child_process";

/**
 * Parts of the operating system that some tests need. The probe uses the part as the tests do: an installed bubblewrap
 * that cannot create a namespace counts as missing.
 */
const PARTS = {
  bwrap: { probe: ["bwrap", "--ro-bind", "/", "/", "--unshare-pid", "--die-with-parent", "true"], apt: "bubblewrap" },
  /** A separate file system, small enough to fill. */
  mount: {
    probe: ["unshare", "--mount", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/mnt"],
    apt: "mount util-linux",
  },
  python3: { probe: ["python3", "-c", "import ctypes, mmap"], apt: "python3" },
  git: { probe: ["git", "--version"], apt: "git" },
  ps: { probe: ["ps", "-o", "pid=", "-p", "1"], apt: "procps" },
  promtool: { probe: ["promtool", "--version"], apt: "prometheus" },
  rg: { probe: ["rg", "--version"], apt: "ripgrep" },
  zsh: { probe: ["zsh", "-c", "true"], apt: "zsh" },
  fish: { probe: ["fish", "-c", "true"], apt: "fish" },
  tmux: { probe: ["tmux", "-V"], apt: "tmux" },
  /** A small private disk. */
  smallDisk: {
    probe: ["unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "/mnt"],
    apt: "util-linux",
  },
  chromium: { probe: ["chromium", "--version"], apt: "chromium" },
  openssl: { probe: ["openssl", "version"], apt: "openssl" },
  "ssh-keygen": { probe: ["sh", "-c", "command -v ssh-keygen"], apt: "openssh-client" },
  strace: { probe: ["strace", "-o", "/dev/null", "true"], apt: "strace" },
} as const;

export type Part = keyof typeof PARTS;

const PROBE_TIMEOUT_MS = 10_000;

/**
 * Whether all parts are present: `test.skipIf(!needs("bwrap"))("...", ...)`.
 * A missing part is named with how to install it; with NOMOS_TEST_FORBID_SKIP=1 it throws instead.
 */
export function needs(...parts: readonly Part[]): boolean {
  const missing = parts.flatMap(describeIfMissing);
  if (missing.length === 0) return true;
  const message = missing.join("; ");
  if (process.env["NOMOS_TEST_FORBID_SKIP"] === "1") throw new Error(message);
  console.warn(`skipped: ${message}`);
  return false;
}

function describeIfMissing(part: Part): readonly string[] {
  const { probe, apt } = PARTS[part];
  const [command, ...args] = probe;
  const answer = spawnSync(command, args, { encoding: "utf8", timeout: PROBE_TIMEOUT_MS });
  if (answer.status === 0) return [];
  const isAbsent = answer.error && "code" in answer.error && answer.error.code === "ENOENT";
  const reason = isAbsent ? "is missing" : `does not work here (${answer.stderr?.trim() || answer.error?.message})`;
  return [`${part} ${reason}; install it with: apt-get install -y ${apt}`];
}
