import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { overview } from "../src/cli/help/overview.ts";
import { loadEntries, SYSCALL_NAMES } from "../src/client/index.ts";
import { decodeEntry, encodeEntry } from "../src/client/manifest.ts";
import { read } from "../src/syscalls/define.ts";
import { SYSCALLS, type Syscall } from "../src/syscalls/index.ts";
import { clientDetails, clientManifest, syscallEntry } from "../tools/generate/client-manifest.ts";
import { proves } from "./support/proves.ts";

const ROOT = join(import.meta.dirname, "..");
const INDEX_BYTES_MAX = 24_000;
const DETAILS_BYTES_MAX = 128_000;

/** The table as it is, and as many more in families of five as make it 300, with members and errors as usual. */
const MANY: readonly Syscall[] = [
  ...SYSCALLS,
  ...Array.from({ length: 300 - SYSCALLS.length }, (_, at) => synthetic(at)),
];

function synthetic(at: number): Syscall {
  const name = `subject${Math.floor(at / 5)}.verb${at}`;
  return read({
    name,
    summary: `What capability number ${at} does, said in one sentence of a usual length`,
    permission: `subject${Math.floor(at / 5)}.read`,
    roles: [],
    needs: [],
    about: "system",
    input: z.object({
      id: z.string().describe("the thing it is about"),
      limit: z.number().optional().describe("at most so many"),
      order: z.enum(["asc", "desc"]).optional(),
      force: z.boolean().optional(),
    }),
    output: z.object({ id: z.string() }),
    errors: ["session_not_found", "ambiguous_id", "overloaded", "disk_full"],
    http: { method: "GET", path: `/api/subject${Math.floor(at / 5)}/:id/verb${at}` },
    cli: { positional: ["id"], ...(at % 10 === 0 ? { short: `short${at}` } : {}) },
    answer: async (_context, { id }) => ({ id }),
  });
}

proves("CLI-1", "300 syscalls: the index that every command loads stays small, and so do the details", () => {
  expect(MANY).toHaveLength(300);
  expect(clientManifest(MANY).length).toBeLessThan(INDEX_BYTES_MAX);
  expect(clientDetails(MANY).length).toBeLessThan(DETAILS_BYTES_MAX);
});

proves("CLI-1", "the details are loaded when they are asked for, never at the start", () => {
  const references = globSync("src/**/*.ts", { cwd: ROOT }).flatMap((path) =>
    [...readFileSync(join(ROOT, path), "utf8").matchAll(/^.*"[^"]*details\.generated\.ts".*$/gm)].map(([line]) => line),
  );
  expect(references.map((line) => line.trim())).toEqual([
    'const { DETAILS } = await import("./details.generated.ts");',
  ]);
});

proves("CLI-1", "an entry that is encoded and decoded is the one that the table has", async () => {
  for (const syscall of MANY) {
    const entry = syscallEntry(syscall);
    const { method, path } = entry.http;
    const index = { name: entry.name, route: `${method} ${path}`, short: entry.cli.short };
    expect(decodeEntry(encodeEntry(entry), index)).toEqual(entry);
  }
  expect(await loadEntries(SYSCALL_NAMES)).toEqual(SYSCALLS.map(syscallEntry));
  expect(await loadEntries(["constructor", "session.nothing"])).toEqual([]);
});

proves("CLI-2", "300 syscalls in 60 families: the help fits on a screen of 24 lines and 80 columns", () => {
  const shorts = MANY.flatMap(({ name, cli }) => (cli.short === undefined ? [] : [[cli.short, name] as const]));
  const everyday = new Map([
    ["up", "daemon"],
    ["run", "session"],
  ]);
  const lines = overview({ everyday, shorts: new Map(shorts), syscalls: MANY.map(({ name }) => name) });
  expect(lines.length).toBeLessThan(24);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines.join("\n")).toContain("Every syscall (300)");
  expect(lines.join("\n")).toContain("nomos help subjects lists them all");
});
