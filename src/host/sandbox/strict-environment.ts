import { isAbsolute } from "node:path";
import { INSIDE } from "./walls.ts";

/**
 * The environment of a walled process. What would run code in each program it starts (and in bubblewrap, outside), and
 * what leads to services of the person's, is left out; HOME and the temp directory are its own.
 */
export function strictEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name, value]) => !isForeign(name, value));
  return { ...Object.fromEntries(kept), HOME: INSIDE.home, TMPDIR: INSIDE.temp, NOMOS_SANDBOX: "strict" };
}

const FOREIGN_NAMES: ReadonlySet<string> = new Set([
  ...["SSH_AUTH_SOCK", "GPG_AGENT_INFO", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DOCKER_HOST", "TMUX", "STY"],
  ...["BASH_ENV", "ENV", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "GCONV_PATH", "MALLOC_TRACE", "NLSPATH"],
]);
const FOREIGN_STARTS = ["LD_", "DBUS_", "BASH_FUNC_"];

function isForeign(name: string, value: string): boolean {
  if (FOREIGN_NAMES.has(name) || FOREIGN_STARTS.some((start) => name.startsWith(start))) return true;
  return name.startsWith("XDG_") && isAbsolute(value);
}
