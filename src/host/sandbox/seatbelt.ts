import type { Mount } from "./walls.ts";

export interface SeatbeltOrder {
  readonly cwd: string;
  readonly home: string;
  readonly temp: string;
  readonly mounts: readonly Mount[];
  /** Paths that must not be visible: the product's home and the person's. */
  readonly hidden: readonly string[];
  /** The only loopback ports that may be reached. */
  readonly ports: readonly number[];
}

/**
 * A macOS `sandbox-exec` profile with the same limits as the walls on Linux, as far as macOS can express them: files
 * and network, not processes. It is compared with a golden file but was never tested on macOS, so nothing is started
 * with it.
 */
export function seatbeltProfile({ cwd, home, temp, mounts, hidden, ports }: SeatbeltOrder): string {
  const rules = [
    "(version 1)",
    "(deny default)",
    "(allow process-fork process-exec signal (target same-sandbox))",
    "(allow sysctl-read)",
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
    ...SYSTEM.map((path) => `(allow file-read* (subpath ${quoted(path)}))`),
    "(allow file-read-metadata)",
    '(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    ...hidden.map((path) => `(deny file-read* file-write* (subpath ${quoted(path)}))`),
    ...[cwd, home, temp].map((path) => allowing("write", path)),
    // Later rules win, so the innermost comes last.
    ...mounts
      .toSorted((a, b) => a.path.split("/").length - b.path.split("/").length)
      .map((one) => allowing(one.access, one.path)),
    ...ports.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`),
    '(allow network-inbound (local ip "localhost:*"))',
  ];
  return `${rules.join("\n")}\n`;
}

const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/System",
  "/Library",
  "/private/etc",
  "/opt/homebrew",
  "/private/var/db/dyld",
];

function allowing(access: Mount["access"], path: string): string {
  const place = `(subpath ${quoted(path)})`;
  if (access === "write") return `(allow file-read* file-write* ${place})`;
  if (access === "hidden") return `(deny file-read* file-write* ${place})`;
  return `(allow file-read* ${place})\n(deny file-write* ${place})`;
}

function quoted(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
