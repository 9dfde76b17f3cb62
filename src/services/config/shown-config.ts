import { type Config, NomosError } from "../../contract/index.ts";
import { ownEntry } from "../../kernel/index.ts";
import { shownAddress } from "../../store/index.ts";

/** Shown instead of a hidden value. Sent back unchanged it keeps the stored value. */
const HIDDEN = "[hidden]";

type Members = { readonly [key: string]: unknown };
type Show = (value: unknown) => unknown;

/**
 * The configuration as shown in answers. Only listed members are shown; all others may hold a secret and are hidden, also
 * members that this version does not know.
 */
export function shownConfig(config: Config): Members {
  return CONFIG({ ...config, ...(config.store === undefined ? {} : { store: shownAddress(config.store) }) });
}

/** Replaces each mask in a change by the stored value. A mask that stands for another value is refused. */
export function withHiddenKept(change: Members, stored: Config): Members {
  const meant = kept(change, { ...stored }, shownConfig(stored), "");
  return isMembers(meant) ? meant : {};
}

/** Subcommands that are safe to show. Any other word could be a key. */
const SUBCOMMANDS = ["acp", "agent", "chat", "exec", "mcp", "run", "serve", "server", "start", "stdio"];

/** A program's arguments: the names of flags and a known subcommand are shown, values are not. */
export function shownArguments(args: readonly unknown[]): string[] {
  return args.map((given, at) => {
    const [, flag] = /^(--?[a-zA-Z][a-zA-Z-]{0,31}=)/.exec(String(given)) ?? [];
    if (flag !== undefined) return `${flag}${HIDDEN}`;
    const isName = /^(-[a-zA-Z]|--[a-z][a-z-]{0,31}|\{[a-z]{1,16}\})$/.test(String(given));
    const isSubcommand = at === 0 && SUBCOMMANDS.includes(String(given));
    return isName || isSubcommand ? String(given) : HIDDEN;
  });
}

export function hiddenValues(members: Members): Record<string, string> {
  return Object.fromEntries(Object.keys(members).map((name) => [name, HIDDEN]));
}

const measure: Show = (value) => (typeof value === "number" || typeof value === "boolean" ? value : HIDDEN);
const matching =
  (form: RegExp): Show =>
  (value) =>
    typeof value === "string" && form.test(value) ? value : HIDDEN;
const path = matching(/^[^\s=?#&:@]{1,4096}$/);
const glob = matching(/^[^\s=:@]{1,500}$/);
const listOf =
  (show: Show): Show =>
  (value) =>
    Array.isArray(value) ? value.map(show) : HIDDEN;
const only =
  (shown: { readonly [key: string]: Show }): ((value: unknown) => Members) =>
  (value) => {
    const entries = isMembers(value) ? Object.entries(value) : [];
    return Object.fromEntries(entries.map(([key, one]) => [key, ownEntry(shown, key)?.(one) ?? HIDDEN]));
  };
const each =
  (show: Show): Show =>
  (value) =>
    isMembers(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, show(one)])) : HIDDEN;
const measures = (...keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, measure]));

const DRIVER = only({
  command: path,
  home: path,
  file: path,
  permissions: matching(/^(ask|reject|allow)$/),
  onQuota: matching(/^(continue|tell)$/),
  args: (value) => (Array.isArray(value) ? shownArguments(value) : HIDDEN),
  env: (value) => (isMembers(value) ? hiddenValues(value) : HIDDEN),
});

const MODEL_NAME = matching(/^[\w.-]{1,64}\/[\w./:@-]{1,200}$/);
const WORD = matching(/^[a-z][a-z-]{0,31}$/);

/** Where a key comes from is no secret. Headers and options may hold one. */
const PROVIDER = only({
  api: WORD,
  baseUrl: (value) => shownUrl(String(value)),
  key: only({ env: matching(/^\w{1,200}$/), file: path, secret: matching(/^[\w.-]{1,200}$/) }),
  headers: (value) => (isMembers(value) ? hiddenValues(value) : HIDDEN),
  options: each(measure),
  stallMs: measure,
  models: each(
    only({
      ...measures("window", "output", "images"),
      price: only(measures("input", "output", "cacheRead", "cacheWrite")),
    }),
  ),
});

/** A value of `env` or `headers` may be a secret; where one comes from is none. */
const SECRET: Show = (value) =>
  isMembers(value)
    ? only({
        ...{ env: matching(/^\w{1,200}$/), file: path, secret: matching(/^[\w.-]{1,200}$/) },
        prefix: matching(/^\w{1,20} $/),
      })(value)
    : HIDDEN;

const MCP_SERVER = only({
  command: path,
  cwd: path,
  args: (value) => (Array.isArray(value) ? shownArguments(value) : HIDDEN),
  env: each(SECRET),
  url: (value) => shownUrl(String(value)),
  headers: each(SECRET),
  type: WORD,
  agents: listOf(matching(/^[\w.-]{1,64}$/)),
  tools: only({ allow: listOf(matching(/^[\w.*/-]{1,200}$/)), deny: listOf(matching(/^[\w.*/-]{1,200}$/)) }),
  ...measures("timeoutMs", "shared", "outsideWalls", "disabled"),
});

/** A host, a network, or a host with a port. */
const HOST = matching(/^[\w.*:[\]/-]{1,300}$/);

const KEY = only({ env: matching(/^\w{1,200}$/), file: path });

const CONFIG = only({
  ...measures("port", "storeLeaseMs", "storeWaitMs", "turnTimeoutMs", "idleHibernateMs", "approvalWaitMs"),
  ...measures("processMemoryMb", "processOpenFilesMax", "processesMax", "connectionsMax", "requestBytesMax"),
  ...measures("snapshotFilesMax", "snapshotBytesMax", "delegationDepthMax", "delegationChildrenMax"),
  store: (value) => value,
  sandbox: only({ readable: listOf(path), ...measures("memoryMb", "pidsMax", "cpus") }),
  snapshotLeaveOut: listOf(glob),
  limits: only(measures("sessionBytes", "homeBytes", "liveSessionsMax", "diskFreeBytes", "walBytes")),
  worktree: only({ carry: listOf(glob), ...measures("carryBytesMax", "alternates") }),
  anchors: only({
    git: only({ repo: path, ref: matching(/^refs\/[\w./-]+$/) }),
    witness: only({
      url: (value) => shownUrl(String(value)),
      key: matching(/^[^\s+]{1,255}\+[0-9a-f]{8}\+[A-Za-z0-9+/=]{1,200}$/),
    }),
  }),
  policy: (value) => value,
  drivers: each(DRIVER),
  mcpServers: each(MCP_SERVER),
  models: only({ default: MODEL_NAME, fallbacks: listOf(MODEL_NAME), providers: each(PROVIDER) }),
  engine: only({
    ...measures("stepsMax", "budgetMicroUsd"),
    thinking: WORD,
    compaction: only({
      ...measures("enabled", "reserveTokens", "keepRecentTokens"),
      strategy: WORD,
      model: MODEL_NAME,
    }),
  }),
  onQuota: WORD,
  web: only({
    allow: listOf(HOST),
    deny: listOf(HOST),
    robots: measure,
    userAgent: matching(/^[A-Za-z][\w.;:/+() ,-]{0,79}$/),
    search: only({ kind: WORD, url: (value) => shownUrl(String(value)), key: KEY }),
  }),
});

/** A user, a password, a query and a fragment can all be a key. */
function shownUrl(url: string): string {
  if (!URL.canParse(url)) return HIDDEN;
  const { protocol, username, password, host, pathname, search, hash } = new URL(url);
  const isPlain = username === "" && password === "" && search === "" && hash === "";
  return isPlain ? url : `${protocol}//${HIDDEN}@${host}${pathname}`;
}

function kept(given: unknown, stored: unknown, shown: unknown, field: string): unknown {
  if (typeof given === "string" && isMasked(given)) {
    if (given === shown) return stored;
    throw unknownMask(field);
  }
  if (Array.isArray(given)) return keptList(given, stored, shown, field);
  if (!isMembers(given)) return given;
  const [before, seen] = [isMembers(stored) ? stored : {}, isMembers(shown) ? shown : {}];
  return Object.fromEntries(
    Object.entries(given).map(([key, one]) => [
      key,
      kept(one, ownEntry(before, key), ownEntry(seen, key), field === "" ? key : `${field}.${key}`),
    ]),
  );
}

/** A hidden element is matched by its text and its rank among equal ones. If their number changed, it is refused. */
function keptList(given: readonly unknown[], stored: unknown, shown: unknown, field: string): unknown[] {
  const [before, seen] = [Array.isArray(stored) ? stored : [], Array.isArray(shown) ? shown : []];
  const places = (list: readonly unknown[], look: unknown) => list.flatMap((one, at) => (one === look ? [at] : []));
  return given.map((one, at) => {
    if (typeof one !== "string" || !isMasked(one)) return one;
    const [mine, theirs] = [places(given, one), places(seen, one)];
    if (mine.length !== theirs.length) throw unknownMask(`${field}.${at}`);
    return before[theirs[mine.indexOf(at)] ?? -1];
  });
}

/** Also matches the `***` that the store shows for its password. */
function isMasked(text: string): boolean {
  return text.includes(HIDDEN) || /^\*\*\*$|[:=]\*\*\*([@&]|$)/.test(text);
}

function unknownMask(field: string): NomosError {
  const reason = "`[hidden]` was sent for another setting than the one it hides; send the real value";
  return new NomosError("invalid_request", { field, reason });
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
