import { spawn } from "node:child_process";
import { once } from "node:events";

type Environment = Readonly<Record<string, string | undefined>>;

/** A program that ends with an error ends sooner; one that is the browser itself goes on. */
const FAILS_WITHIN_MS = 1500;

/** Opens a page in the person's browser. False when there is none, or when it would open on another machine. */
export async function openBrowser(environment: Environment, url: string): Promise<boolean> {
  const command = browserCommand(environment, process.platform);
  if (command === null) return false;
  // As git does it: $BROWSER may hold a program with options.
  const child = spawn("/bin/sh", ["-c", `${command} "$@"`, command, url], { detached: true, stdio: "ignore" });
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), FAILS_WITHIN_MS);
  try {
    const [exitCode] = await once(child, "exit", { signal: late.signal });
    return exitCode === 0;
  } catch {
    // It could not be started, or it still runs.
    return late.signal.aborted;
  } finally {
    clearTimeout(timer);
    child.unref();
  }
}

export function browserCommand(environment: Environment, platform: string): string | null {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION, SSH_TTY } = environment;
  if (SSH_CONNECTION || SSH_TTY) return null;
  if (BROWSER) return BROWSER;
  if (platform === "darwin") return "open";
  return DISPLAY || WAYLAND_DISPLAY ? "xdg-open" : null;
}
