import { isAbsolute } from "node:path";
import { isInside } from "../files/path-inside.ts";
import { type Door, INSIDE } from "./walls.ts";

/**
 * The environment of a process inside walls. It leaves out variables that would run code in every program (and in
 * bubblewrap, outside), that lead to the person's services, or that hold passwords in addresses. HOME and the temp
 * directory are private, and the only proxy is the door's.
 */
export function strictEnvironment(
  env: Readonly<Record<string, string>>,
  door: Pick<Door, "environment"> | null = null,
): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]): [string, string][] => {
    const harmless = isForeign(name, value) ? null : withoutLogin(name, value);
    return harmless === null ? [] : [[name, harmless]];
  });
  const own = { HOME: INSIDE.home, TMPDIR: INSIDE.temp, NOMOS_SANDBOX: "strict" };
  return { ...Object.fromEntries(kept), ...door?.environment, ...own };
}

const FOREIGN_NAMES: ReadonlySet<string> = new Set([
  ...["SSH_AUTH_SOCK", "GPG_AGENT_INFO", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DOCKER_HOST", "TMUX", "STY"],
  ...["BASH_ENV", "ENV", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "GCONV_PATH", "MALLOC_TRACE", "NLSPATH"],
]);
const FOREIGN_STARTS = ["LD_", "DBUS_", "BASH_FUNC_"];

/** The person's proxy, with its password, is useless here: no network leads to it. */
const PROXY = /^(https?|all|no|ftp|socks|rsync|npm_config(_https?|_no)?)_?proxy$/i;

/** The C library's locale variables. Other `LC_` variables may carry anything, because ssh forwards them all. */
const LOCALE: ReadonlySet<string> = new Set(
  [
    ...["ALL", "CTYPE", "COLLATE", "MESSAGES", "MONETARY", "NUMERIC", "TIME", "PAPER", "NAME", "ADDRESS", "TELEPHONE"],
    ...["MEASUREMENT", "IDENTIFICATION"],
  ].map((name) => `LC_${name}`),
);

function isForeign(name: string, value: string): boolean {
  if (FOREIGN_NAMES.has(name) || FOREIGN_STARTS.some((start) => name.startsWith(start))) return true;
  if (PROXY.test(name)) return true;
  if (name.startsWith("LC_")) return !LOCALE.has(name);
  return name.startsWith("XDG_") && !(isAbsolute(value) && isInside(INSIDE.home, value));
}

const REGISTRY = /^npm_config_registry$/i;
/**
 * Variables that come from the daemon's environment: logins in their addresses are removed. The operator set all others
 * for the driver, so they stay as they are.
 */
const INHERITED =
  /^(PATH|USER|LOGNAME|SHELL|LANG|TERM|TZ|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|LC_.*|.*_CA_?(FILE|INFO|BUNDLE)|SSL_CERT_.*|npm_config_.*)$/i;

/** Null: the variable must be left out. */
function withoutLogin(name: string, value: string): string | null {
  if (REGISTRY.test(name)) return plainAddress(value);
  return INHERITED.test(name) ? value.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/\\]*@/gi, "$1") : value;
}

function plainAddress(value: string): string | null {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) return null;
  return `${url.origin}${url.pathname}`;
}
