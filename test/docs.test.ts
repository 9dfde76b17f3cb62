import { existsSync, globSync, readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { LAYERS } from "../layers.ts";
import { EVERYDAY } from "../src/cli/everyday.ts";
import { SHORT_NAMES, SYSCALL_NAMES } from "../src/client/index.ts";
import { HOUSE } from "../src/store/definitions.ts";
import { OUTSIDE_PROGRAMS } from "../tools/outside-program.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGES = globSync(["*.md", "docs/**/*.md", "packages/*/*.md"], { cwd: ROOT }).toSorted();
const THIS_FILE = relative(ROOT, import.meta.filename);
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const PROMISE = /^[A-Z]+-?\d+$/;
/** A call of `proves...`, or a title that begins with the id. The id is written out, so that a search finds it. */
const PROVING =
  /\bproves\w*(?:\.(?:concurrent|onOneStore))*(?:\.(?:skipIf|where)\([^\n]*?\))?\(\s*"([A-Z]+-?\d+)"|["'`]\[([A-Z]+-?\d+)\] /g;

test("every relative link leads to a file, and to an existing heading if it names one", () => {
  expect(PAGES).toEqual(expect.arrayContaining(["README.md", "docs/guarantees.md", "docs/adr/README.md"]));
  expect(PAGES.flatMap(deadLinks)).toEqual([]);
});

test("every ADR is in the list of ADRs", () => {
  const listed = linksOf("docs/adr/README.md").map((link) => link.split("#")[0]);
  const pages = PAGES.filter((page) => /^docs\/adr\/\d/.test(page)).map((page) => page.slice("docs/adr/".length));
  expect(pages.length).toBeGreaterThan(0);
  expect(listed).toEqual(expect.arrayContaining(pages));
});

test("decisions are numbered without a gap, each page by the number of its file, and listed in that order", () => {
  const files = PAGES.filter((page) => /^docs\/adr\/\d/.test(page)).toSorted();
  const numbers = files.map((page) => page.slice("docs/adr/".length, "docs/adr/0000".length));
  expect(numbers).toEqual(numbers.map((_, at) => String(at + 1).padStart(4, "0")));
  expect(files.filter((page, at) => !read(page).startsWith(`# ${numbers[at]}`))).toEqual([]);
  const listed = [...read("docs/adr/README.md").matchAll(/^\| \[(\d{4})\]\(\1-/gm)].map(([, number]) => number);
  expect(listed).toEqual(numbers);
});

test("no page names this machine, its user or a package registry", () => {
  const strays = [ROOT, homedir(), tmpdir()].filter((path) => path.length > 4);
  const forbidden = [
    ...strays.map((path) => new RegExp(`${escaped(path)}(?![\\w-])`)),
    /(^|[\s"'`(=])\/(?:work|root)\//,
    /\bregistry\.|\b(?:npmjs|verdaccio|artifactory|jfrog)\b/i,
  ];
  const found = PAGES.flatMap((page) =>
    read(page)
      .split("\n")
      .flatMap((line, at) => (forbidden.some((form) => form.test(line)) ? [`${page}:${at + 1} ${line}`] : [])),
  );
  expect(found).toEqual([]);
});

describe("guarantees", () => {
  const documented = new Map(
    ["docs/guarantees.md", "docs/reference/invariants.md"].flatMap((page) =>
      rowsOf(page).flatMap(([id = "", , files = ""]) => (PROMISE.test(id) ? [[id, { page, files }] as const] : [])),
    ),
  );
  const proved = provedIds();

  test("every guarantee has a test that proves it, and every test proves a written guarantee", () => {
    expect(documented.size).toBeGreaterThan(0);
    expect([...documented.keys()].filter((id) => !proved.has(id))).toEqual([]);
    expect([...proved].filter(([id]) => !documented.has(id))).toEqual([]);
  });

  test("a test spells its guarantee's id out, so that a search finds it", () => {
    const computed =
      /\bproves\w*(?:\.(?:concurrent|onOneStore))*(?:\.(?:skipIf|where)\([^\n]*?\))?\((?!\s*"|id: string|id, title|\))/;
    const files = globSync("{src,test,web}/**/*.ts", { cwd: ROOT }).filter((file) => file !== THIS_FILE);
    expect(files.filter((file) => computed.test(read(file)))).toEqual([]);
  });

  test("a guarantee's row names exactly the files that prove it", () => {
    const named = [...documented].filter(([, { page }]) => page === "docs/guarantees.md");
    const wanted = named.map(([id]) => `${id}: ${[...(proved.get(id) ?? [])].toSorted().join(", ")}`);
    expect(named.map(([id, { files }]) => `${id}: ${files.replaceAll("`", "")}`)).toEqual(wanted);
  });

  test("no guarantee is written twice", () => {
    const ids = ["docs/guarantees.md", "docs/reference/invariants.md"].flatMap((page) =>
      rowsOf(page).flatMap(([id = ""]) => (PROMISE.test(id) ? [id] : [])),
    );
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });
});

test("dependencies.md lists every dependency with its version and licence", () => {
  const manifest = JSON.parse(read("package.json"));
  const runtime = JSON.parse(read("tools/runtime/package.json"));
  const wanted = Object.entries({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
    ...runtime.optionalDependencies,
    ...OUTSIDE_PROGRAMS,
  });
  const rows = rowsOf("docs/reference/dependencies.md").filter(([name = ""]) => /^`.+`$/.test(name));
  const listed = rows.flatMap(([name = "", version, licence]) =>
    /^\d/.test(version ?? "") ? [{ name: name.replaceAll("`", ""), version, licence }] : [],
  );
  expect(listed.map(({ name, version }) => [name, version]).toSorted()).toEqual(wanted.toSorted());
  for (const { name, licence } of listed.filter((row) => existsSync(join(ROOT, "node_modules", row.name))))
    expect([name, licence]).toEqual([name, JSON.parse(read(`node_modules/${name}/package.json`)).license]);
});

test("ARCHITECTURE.md describes exactly the layers that have a folder", () => {
  const built = LAYERS.filter(({ dir }) => existsSync(join(ROOT, dir)));
  const told = rowsOf("ARCHITECTURE.md").flatMap(([floor = "", name = ""]) =>
    /^\d+$/.test(floor) ? [`${floor} ${/^\[([\w-]+)\]/.exec(name)?.[1]}`] : [],
  );
  expect(told.toSorted()).toEqual(built.map(({ level, name }) => `${level} ${name}`).toSorted());
});

test("the glossary defines every thing that events are about, each once", () => {
  const words = rowsOf("GLOSSARY.md").flatMap(([word = ""]) => (/^\*\*/.test(word) ? [word.replaceAll("*", "")] : []));
  expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
  const things = new Set(HOUSE.types.map((type) => type.split(".")[0]).filter((thing) => thing !== "data"));
  expect([...things].filter((thing) => !words.includes(thing ?? ""))).toEqual([]);
});

test("every command and every event that a page names exists", () => {
  // The worked example names what it adds; a test of its own runs it.
  const spans = PAGES.filter((page) => page !== "docs/adding-a-capability.md").flatMap((page) =>
    [...read(page).matchAll(/`[^`\n]+`|^[^\n]*\$?\(?nomos [^\n]*$/gm)].map(([span]) => ({ page, span })),
  );
  const known = (first: string, second: string | undefined): boolean =>
    Object.hasOwn(EVERYDAY, first) || SHORT_NAMES.has(first) || SYSCALL_NAMES.includes(`${first}.${second}`);
  const commands = spans.flatMap(({ page, span }) =>
    [...span.matchAll(/(?:^|[`(;|&]\s*|\s\$\()nomos ([a-z][a-z-]*)(?: ([a-z]+))?/g)].flatMap(
      ([, first = "", second]) => (known(first, second) ? [] : [`${page}: nomos ${first} ${second ?? ""}`]),
    ),
  );
  const events = spans.flatMap(({ page, span }) =>
    [...span.matchAll(/(?<![.\w])(?!x\.)[a-z]+\.[a-z_]+@\d+/g)].flatMap(([type]) =>
      HOUSE.types.includes(type) ? [] : [`${page}: ${type}`],
    ),
  );
  expect(spans.length).toBeGreaterThan(100);
  expect([...commands, ...events]).toEqual([]);
});

test("the table in the driver guide equals the contract of a script's turn", () => {
  const source = read("src/turns/line/script-turn.ts");
  const [, body = ""] = /export interface ScriptTurn \{\n([\s\S]*?)\n\}/.exec(source) ?? [];
  const members = [...body.matchAll(/^ {2}readonly (\w+):/gm)].map(([, name]) => name);
  const told = rowsOf("docs/guide/driver-in-typescript.md").flatMap(([cell = ""]) =>
    [...cell.matchAll(/`(\w+)/g)].map(([, name]) => name),
  );
  expect(members.length).toBeGreaterThan(5);
  expect(told.toSorted()).toEqual(members.toSorted());
});

function provedIds(): ReadonlyMap<string, ReadonlySet<string>> {
  const proved = new Map<string, Set<string>>();
  const files = globSync(["src/**/*.ts", "test/**/*.ts", "web/**/*.ts"], { cwd: ROOT });
  for (const file of files.filter((path) => path !== THIS_FILE))
    for (const [, called, titled] of read(file).matchAll(PROVING)) {
      const id = called ?? titled ?? "";
      proved.set(id, (proved.get(id) ?? new Set()).add(file));
    }
  return proved;
}

/** The cells of every table row on a page. */
function rowsOf(page: string): readonly (readonly string[])[] {
  const lines = withoutFences(read(page)).split("\n");
  return lines
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .slice(2, -2)
        .split(" | ")
        .map((c) => c.trim()),
    );
}

function linksOf(page: string): readonly string[] {
  const prose = withoutFences(read(page)).replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
}

function deadLinks(page: string): readonly string[] {
  return linksOf(page).flatMap((link) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [path = "", heading] = link.split("#");
    const target = path === "" ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, target))) return [`${page}: ${link}`];
    return heading === undefined || headingsOf(target).includes(heading) ? [] : [`${page}: ${link}`];
  });
}

/** Anchors of headings: lower case, dashes for blanks, nothing else. */
function headingsOf(page: string): readonly string[] {
  const titles = [...withoutFences(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title);
  return titles.map((title) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function withoutFences(page: string): string {
  return page.replaceAll(/^```[^\n]*\n[\s\S]*?^```$/gm, "");
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
