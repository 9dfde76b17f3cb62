import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EVERYDAY } from "../src/cli/everyday.ts";
import type { Everyday } from "../src/cli/everyday-command.ts";
import { columnsOf } from "../src/cli/print/columns.ts";
import { ERRORS, loadEntries, SYSCALL_NAMES, type SyscallEntry } from "../src/client/index.ts";
import { CONFIG_DEFAULTS, Config, LIMIT_DEFAULTS } from "../src/contract/index.ts";
import { LIMITS } from "../src/kernel/index.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGES = globSync(["*.md", "docs/**/*.md", "packages/*/*.md"], { cwd: ROOT })
  .filter((page) => !page.startsWith("docs/adr/"))
  .toSorted();
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const ENTRIES: { readonly [name: string]: SyscallEntry } = Object.fromEntries(
  (await loadEntries(SYSCALL_NAMES)).map((entry) => [entry.name, entry]),
);

/** `nomos ...` in code spans and shell blocks, up to the end of the command. */
function commandsIn(page: string): readonly (readonly string[])[] {
  const text = read(page);
  const spans = [...text.matchAll(/`(nomos [^`\n]+)`/g)].map(([, span = ""]) => span);
  const blocks = [...text.matchAll(/^```sh[^\n]*\n([\s\S]*?)^```$/gm)].flatMap(([, body = ""]) => body.split("\n"));
  const commands = [...spans, ...blocks].flatMap((line) => [...line.matchAll(/(?:^|[\s`(;|&])nomos ([^|;&)#]+)/g)]);
  return commands.map(([, words = ""]) =>
    words
      .replaceAll(/'[^']*'|"[^"]*"/g, "TEXT")
      .trim()
      .split(/\s+/),
  );
}

function optionsOf([first = "", second = ""]: readonly string[]): readonly string[] | null {
  const everyday: { readonly [name: string]: Everyday } = EVERYDAY;
  const own = everyday[first];
  const entry = ENTRIES[`${first}.${second}`] ?? Object.values(ENTRIES).find(({ cli }) => cli.short === first);
  if (own === undefined && entry === undefined) return null;
  const spelled = [own?.usage ?? "", ...(own?.options ?? []).map(([option]) => option)].join(" ");
  const inputs = (entry?.input ?? []).flatMap(({ name }) => [`--${name}`, `--${kebab(name)}`]);
  return ["--json", "--help", "--idempotency-key", ...(spelled.match(/--[\w-]+/g) ?? []), ...inputs];
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

describe("claims on a page are true", () => {
  test("every option in an example exists", () => {
    const given = PAGES.flatMap((page) => commandsIn(page).map((words) => ({ page, words })));
    const unknown = given.flatMap(({ page, words }) => {
      const end = words.indexOf("--");
      const options = (end < 0 ? words : words.slice(0, end)).filter((word) => /^--[a-z]/.test(word));
      const known = optionsOf(words);
      if (known === null) return [];
      return options
        .map((option) => option.replace(/=.*$/, ""))
        .filter((option) => !known.includes(option.replace(/^--no-/, "--")) && !known.includes(option))
        .map((option) => `${page}: nomos ${words.join(" ")}: ${option}`);
    });
    expect(given.length).toBeGreaterThan(80);
    expect(unknown).toEqual([]);
  });

  test("every configuration in the engine's guide is valid", () => {
    const blocks = [...read("docs/guide/engine.md").matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
      ([, body = ""]) => body,
    );
    expect(blocks.length).toBe(3);
    for (const body of blocks) expect(Config.safeParse(JSON.parse(body)).error?.issues ?? []).toEqual([]);
  });

  test("every npm script that a page names exists", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const named = PAGES.flatMap((page) =>
      [...read(page).matchAll(/npm run ([a-z][\w:-]*)/g)].map(([, script = ""]) => ({ page, script })),
    );
    expect(named.filter(({ script }) => !Object.hasOwn(scripts, script))).toEqual([]);
  });

  test("every setting that an example changes exists", () => {
    const known = Object.keys(Config.shape);
    const set = PAGES.flatMap((page) =>
      commandsIn(page).flatMap(([first, second, key = ""]) =>
        first === "config" && second === "set" && /^[a-z]/.test(key) ? [{ page, key }] : [],
      ),
    );
    expect(set.length).toBeGreaterThan(3);
    expect(set.filter(({ key }) => !known.includes(key.split(".")[0] ?? ""))).toEqual([]);
    const limits = PAGES.flatMap((page) => [...read(page).matchAll(/`limits\.(\w+)`/g)].map(([, name = ""]) => name));
    expect(limits.filter((name) => !Object.hasOwn(LIMIT_DEFAULTS, name))).toEqual([]);
  });

  test("every file of the repository that a page names exists", () => {
    const named = PAGES.flatMap((page) =>
      [...read(page).matchAll(/`((?:src|test|bench|tools|bin|docs)\/[\w./-]+)`/g)].map(
        ([, path = ""]) => `${page}: ${path}`,
      ),
    );
    expect(named.filter((one) => !existsSync(join(ROOT, one.slice(one.indexOf(": ") + 2))))).toEqual([]);
  });

  test("the guide lists exactly the metrics that are measured", () => {
    const sources = globSync("src/{syscalls,app}/**/*.ts", { cwd: ROOT }).map(read).join("\n");
    const measured = new Set(sources.match(/\bnomos_[a-z_]+[a-z]\b/g));
    const listed = new Set(read("docs/guide/metrics.md").match(/\bnomos_[a-z_]+[a-z]\b/g));
    expect([...listed].filter((name) => !measured.has(name))).toEqual([]);
    expect([...measured].filter((name) => !listed.has(name))).toEqual([]);
  });

  test("`nomos ps` shows the sandbox mode of each session", () => {
    expect(read("docs/guide/sandbox.md")).toContain("`nomos ps` and every answer show which one holds");
    expect(columnsOf("sessions", undefined).map(([title]) => title)).toContain("SANDBOX");
  });
});

/** A number in prose, and the constant that it quotes. */
const FIGURES: readonly (readonly [page: string, quote: string, source: string, constant: string])[] = [
  [
    "ARCHITECTURE.md",
    "10 MB a file, four files at most",
    "src/services/home/daemon-log.ts",
    "FILE_BYTES_MAX = 10_485_760",
  ],
  ["ARCHITECTURE.md", "10 MB a file, four files at most", "src/services/home/daemon-log.ts", "FILES_KEPT = 3"],
  [
    "ARCHITECTURE.md",
    "verifies the last 1,000 events",
    "src/store/sqlite/opening/start-check.ts",
    "TAIL_EVENTS = 1000",
  ],
  [
    "docs/guide/recovery.md",
    "the last 1,000 events are checked",
    "src/store/sqlite/opening/start-check.ts",
    "TAIL_EVENTS = 1000",
  ],
  [
    "docs/threat-model.md",
    "at most ten a second for one principal",
    "src/services/records/denials.ts",
    "RECORDED_PER_SECOND = 10",
  ],
  ["docs/guide/agents.md", "more than 500 times", "src/drivers/acp/permission.ts", "PERMISSIONS_PER_TURN_MAX = 500"],
  ["docs/guide/agents.md", "does not stop within 1.2 s", "src/drivers/acp/step-times.ts", "cancelMs: 1200"],
  [
    "docs/guide/external-agents.md",
    "looked at once a second",
    "src/supervisor/life/external-watch.ts",
    "LOOK_EVERY_MS = 1000",
  ],
  [
    "docs/guide/backup.md",
    "nobody has brought them for an hour",
    "src/supervisor/retention/retention.ts",
    "BLOB_GRACE_MS = 3_600_000",
  ],
  ["docs/guide/metrics.md", "past four times as much", "src/services/limits/open-bounds.ts", "WAL_LOW_TIMES = 4"],
  ["docs/guide/metrics.md", "past eight times turns end", "src/services/limits/open-bounds.ts", "WAL_SCARCE_TIMES = 8"],
  ["docs/guide/sandbox.md", "`sandbox.pidsMax` (2048 unless set)", "src/app/machine.ts", "SANDBOX_PIDS_MAX = 2048"],
  ["docs/reference/mcp.md", "| sessions | 1,024;", "src/surfaces/mcp/mcp-surface.ts", "sessionsMax: 1024"],
  ["docs/reference/mcp.md", "ends after 30 minutes", "src/surfaces/mcp/mcp-surface.ts", "idleMs: 1_800_000"],
  ["docs/reference/mcp.md", "requests of a session | 64", "src/surfaces/mcp/mcp-surface.ts", "openRequestsMax: 64"],
  ["docs/reference/mcp.md", "without a session | 512", "src/surfaces/mcp/mcp-surface.ts", "openStreamsMax: 512"],
  [
    "docs/reference/mcp.md",
    "`Last-Event-ID` | 500, and 512 KiB",
    "src/surfaces/mcp/event-store.ts",
    "MESSAGES_MAX = 500",
  ],
  [
    "docs/reference/mcp.md",
    "`Last-Event-ID` | 500, and 512 KiB",
    "src/surfaces/mcp/event-store.ts",
    "BYTES_MAX = 524_288",
  ],
  [
    "docs/reference/mcp.md",
    "| 32; told of at most four times a second",
    "src/surfaces/mcp/server.ts",
    "WATCHED_MAX = 32",
  ],
  [
    "docs/reference/mcp.md",
    "| 32; told of at most four times a second",
    "src/surfaces/mcp/watch.ts",
    "TOLD_EVERY_MS = 250",
  ],
  [
    "docs/reference/rpc.md",
    "256 calls or 64 MiB of them",
    "src/surfaces/rpc/peer.ts",
    "callsMax: 256, callBytesMax: 67_108_864",
  ],
  ["docs/reference/rpc.md", "32 subscriptions; 24 MB a message", "src/surfaces/rpc/peer.ts", "subscriptionsMax: 32"],
  [
    "docs/reference/rpc.md",
    "32 subscriptions; 24 MB a message",
    "src/cli/stdio/pipe-rpc.ts",
    "LINE_BYTES_MAX = 24_000_000",
  ],
  ["docs/reference/rpc.md", "good once, for 30 seconds", "src/syscalls/ws/passes.ts", "PASS_TTL_MS = 30_000"],
  ["GLOSSARY.md", "opens one WebSocket once, within 30 seconds", "src/syscalls/ws/passes.ts", "PASS_TTL_MS = 30_000"],
  ["docs/reference/rpc.md", "every 25 seconds", "src/surfaces/ws/web-sockets.ts", "pingMs: 25_000"],
  [
    "docs/reference/rpc.md",
    "At most 256 connections, and 32",
    "src/surfaces/ws/web-sockets.ts",
    "CONNECTIONS_MAX = 256",
  ],
  ["docs/reference/rpc.md", "At most 256 connections, and 32", "src/surfaces/shares.ts", "SCOPED_MAX = 32"],
  ["docs/guide/engine.md", "At most 16 wait", "src/kernel/limits.ts", "steersMax: 16"],
  ["docs/guide/engine.md", "cut three times in a row", "src/kernel/limits.ts", "resumesMax: 3"],
  ["docs/guide/engine.md", "it takes twenty of them", "src/kernel/limits.ts", "restartsMax: 20"],
  ["docs/guide/engine.md", "tries up to five times", "src/engine/providers/retry.ts", "TRIES_MAX = 5"],
  ["docs/guide/engine.md", "lasts longer than a minute", "src/engine/providers/retry.ts", "PARK_FROM_MS = 60_000"],
  [
    "docs/guide/engine.md",
    "for 10 seconds, then longer, up to 5 minutes",
    "src/engine/providers/breaker.ts",
    "failuresMax: 5, openMs: 10_000, openMsMax: 300_000",
  ],
  [
    "docs/guide/engine.md",
    "120 seconds unless you set it",
    "src/engine/providers/wire/guard-limits.ts",
    "stallMs: 120_000",
  ],
  ["docs/guide/engine.md", "hangs for ten seconds", "src/engine/host/watch-answers.ts", "SILENT_PINGS_MAX = 5"],
  ["docs/guide/engine.md", "A file may have 256 KB", "src/engine/host/compose.ts", "FILE_BYTES_MAX = 262_144"],
  [
    "docs/guide/engine.md",
    "after 120 seconds it goes on",
    "src/engine/tools/programs/terminal.ts",
    "WAIT_MS = 120_000",
  ],
  [
    "docs/guide/engine.md",
    "warned after three steps and stopped after six",
    "src/engine/view/loop-guard.ts",
    "repeatsWarn: 3,\n  repeatsMax: 6",
  ],
  ["docs/guide/engine.md", "fails in eight steps in a row", "src/engine/view/loop-guard.ts", "failuresMax: 8"],
  ["docs/guide/engine.md", "`stepsMax` is 200 unless", "src/contract/models-config.ts", "stepsMax: 200"],
  [
    "docs/guide/engine.md",
    '"reserveTokens": 16384',
    "src/engine/compaction/settings.ts",
    "reserveTokens: 16_384, keepRecentTokens: 20_000",
  ],
];

describe("numbers on a page are the real ones", () => {
  test.each(FIGURES)("%s quotes the real number: %s", (page, quote, source, constant) => {
    expect(read(page)).toContain(quote);
    expect(read(source)).toContain(constant);
  });

  test("defaults and limits on a page equal those in the code", () => {
    expect(read("docs/guide/postgres.md")).toContain(
      `loses its right to the log; default ${CONFIG_DEFAULTS.storeLeaseMs}`,
    );
    expect(read("docs/guide/postgres.md")).toContain(`to let go; default ${CONFIG_DEFAULTS.storeWaitMs}`);
    expect(read("docs/threat-model.md")).toContain(
      `longer than ${LIMITS.questionChars.toLocaleString("en")} characters`,
    );
  });
});

/** What a page says does not exist, and how to detect that it does. */
const NOT_YET: readonly (readonly [page: string, words: string, isThere: () => boolean])[] = [
  ["docs/threat-model.md", "what does not hold yet", () => false],
  ["README.md", "Not there yet", () => Object.keys(ENTRIES).some((name) => name.startsWith("vault."))],
];

describe("a page says that something does not exist", () => {
  const claims = ["README.md", "SECURITY.md", "docs/threat-model.md", ...PAGES.filter((page) => /guide\//.test(page))]
    .flatMap((page) =>
      read(page)
        .split("\n")
        .map((line) => ({ page, line })),
    )
    .flatMap(({ page, line }) =>
      [...line.matchAll(/\b(?:no|not|nothing|never)\b[^.;|]*\byet\b/gi)].map(([words]) => ({ page, words })),
    );

  test("every such claim is listed here, and true", () => {
    const known = (page: string, words: string): boolean =>
      NOT_YET.some(([where, claim]) => where === page && (claim.includes(words) || words.includes(claim)));
    const unknown = claims.filter(({ page, words }) => !known(page, words));
    expect(unknown).toEqual([]);
    for (const [page, words, isThere] of NOT_YET) {
      expect(read(page)).toContain(words);
      expect({ words, isThere: isThere() }).toEqual({ words, isThere: false });
    }
  });

  test("a word that the glossary reserves is neither defined nor used", () => {
    const [, reserved = ""] = read("GLOSSARY.md").split("## Not there yet");
    const words = [...reserved.matchAll(/^\| \*(\w+)\* \|/gm)].map(([, word = ""]) => word);
    const used = Object.keys(ENTRIES).flatMap((name) => name.split("."));
    expect(words.length).toBeGreaterThan(0);
    expect(words.filter((word) => used.includes(word) || read("GLOSSARY.md").includes(`| **${word}** |`))).toEqual([]);
  });
});

test("every error code in a guide is in the catalogue", () => {
  const codes = Object.keys(ERRORS);
  /** Words of this form that are not error codes. */
  const others =
    /^(?:turn_|nomos_|node_|always_ask|on_demand|many_sessions|bin_args|version_check|read_only|auto_edit)/;
  const named = [...PAGES.filter((page) => page.startsWith("docs/guide/")), "docs/threat-model.md"].flatMap((page) =>
    [...read(page).matchAll(/with `([a-z]+(?:_[a-z]+)+)`|refused as `([a-z_]+)`|told `([a-z_]+)`/g)].map(
      ([, one, two, three]) => ({ page, code: one ?? two ?? three ?? "" }),
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ code }) => !codes.includes(code) && !others.test(code))).toEqual([]);
});
