import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { cacheControl, contentType, HTML_TYPE, PAGE_HEADERS } from "./file-headers.ts";

/** The files of the built dashboard. */
export interface WebFiles {
  /** Null when there is nothing for a browser at this path. */
  readonly answer: (asked: FileAsked) => Promise<FileAnswer | null>;
}

export interface FileAsked {
  readonly path: string;
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

export interface FileAnswer {
  readonly status: 200 | 304 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The names there are, and those that lie beside them compressed: `main.js` -> `br`, `gzip`. */
type Names = ReadonlyMap<string, readonly Encoding[]>;
type Encoding = "br" | "gzip";

const DOCUMENT = "index.html";
const ENDINGS: readonly (readonly [Encoding, string])[] = [
  ["br", ".br"],
  ["gzip", ".gz"],
];
const FILES_MAX = 5000;
/** After a build has replaced the files, names that are missing are looked for again, this often at most. */
const LOOK_AGAIN_MS = 500;
const NOTHING = Buffer.alloc(0);

/** A path is looked up among the names in the folder and never joined to it, so that none leads outside. */
export function createWebFiles(folder: string): WebFiles {
  let names: Names = new Map();
  let changedMs = -1;
  let lookedMs = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<void> => {
    const isNew = (await changeOf(folder)) !== changedMs;
    if (!isNew && performance.now() - lookedMs < LOOK_AGAIN_MS) return;
    changedMs = await changeOf(folder);
    lookedMs = performance.now();
    names = await namesIn(folder);
  };
  const serve = async (name: string, asked: FileAsked): Promise<FileAnswer | null> => {
    const encodings = names.get(name);
    if (encodings === undefined) return null;
    const encoding = encodings.find((one) => accepts(asked.acceptEncoding, one));
    const ending = ENDINGS.find(([one]) => one === encoding)?.[1] ?? "";
    const body = await contentOf(join(folder, `${name}${ending}`));
    return body === null ? null : fileAnswer(name, body, encoding, asked);
  };
  return {
    answer: async (asked) => {
      const isDocument = asked.path === "/" || asked.path === `/${DOCUMENT}`;
      const name = isDocument ? DOCUMENT : asked.path.slice(1);
      if (isDocument || !names.has(name)) await look();
      const found = await serve(name, asked);
      if (found !== null) return found;
      if (!isDocument && !wantsPage(asked)) return null;
      return (await serve(DOCUMENT, asked)) ?? NOT_BUILT;
    },
  };
}

const NOT_BUILT: FileAnswer = {
  status: 503,
  headers: { ...PAGE_HEADERS, "content-type": HTML_TYPE, "cache-control": "no-store" },
  body: Buffer.from(`<!doctype html>
<html lang="en">
<title>Nomos</title>
<h1>Nomos runs, but its dashboard is not built</h1>
<p>In the checkout, run <code>npm run build</code> and load this page again.</p>
</html>
`),
};

/** A page of the dashboard has a path of its own, which only the script in the document knows. */
function wantsPage({ path, accept }: FileAsked): boolean {
  return !/^\/api(\/|$)/.test(path) && /\btext\/html\b/.test(accept ?? "");
}

async function changeOf(folder: string): Promise<number> {
  const found = await stat(join(folder, DOCUMENT)).catch(() => null);
  return found?.mtimeMs ?? -1;
}

/** Regular files alone: a link could lead anywhere. */
async function namesIn(folder: string): Promise<Names> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const all = entries
    .filter((entry) => entry.isFile())
    .slice(0, FILES_MAX)
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
    .filter((name) => !name.split("/").some((part) => part.startsWith(".")));
  const there = new Set(all);
  const plain = all.filter((name) => !ENDINGS.some(([, ending]) => name.endsWith(ending)));
  return new Map(
    plain.map((name) => [name, ENDINGS.flatMap(([one, ending]) => (there.has(`${name}${ending}`) ? [one] : []))]),
  );
}

/** Null when it is gone, or has become a link, since the names were read. */
async function contentOf(path: string): Promise<Buffer | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null);
  if (file === null) return null;
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function fileAnswer(name: string, body: Buffer, encoding: Encoding | undefined, asked: FileAsked): FileAnswer {
  const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 32)}"`;
  const headers = {
    ...PAGE_HEADERS,
    "content-type": contentType(name),
    "cache-control": cacheControl(name),
    etag,
    vary: "Accept-Encoding",
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
  };
  const known = (asked.ifNoneMatch ?? "").split(",").map((one) => one.trim().replace(/^W\//, ""));
  return known.includes(etag) ? { status: 304, headers, body: NOTHING } : { status: 200, headers, body };
}

/** `q=0` refuses an encoding. */
function accepts(header: string | undefined, encoding: Encoding): boolean {
  const offered = (header ?? "").split(",").map((one) => one.trim().toLowerCase().split(";"));
  const [, quality = "q=1"] = offered.find(([name]) => name?.trim() === encoding) ?? ["", "q=0"];
  return Number(/q=([\d.]+)/.exec(quality)?.[1] ?? 1) > 0;
}
