import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { contentType, PAGE_HEADERS } from "../../src/surfaces/files/file-headers.ts";
import { WEB_WORKERS } from "../../tools/entries.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Shows one text between two neighbours, as one part of the dashboard would; `show` can be called again with more of it. */
const PAGE = `
  import "./web/style/tokens.css"; import "./web/style/base.css"; import "./web/style/parts.css";
  import { h, render } from "preact";
  import { Ansi, Code, Diff, Markdown, SafeText } from "./web/text/index.ts";
  import { Bars, HeatMap, Meter, Spark, Tree } from "./web/parts/index.ts";
  const root = document.getElementById("nomos");
  const views = {
    markdown: (text) => h(Markdown, { text }),
    code: (text) => h(Code, { text, language: "ts", strict: true }),
    diff: (text) => h(Diff, { patch: text, strict: true }),
    ansi: (text) => h(Ansi, { text }),
    safe: (text) => h(SafeText, { text, strict: true }),
    plots: () => [
      h(Spark, { label: "tokens", values: [1, 5, 2, 8] }),
      h(Bars, { label: "tokens per day", bars: [{ name: "Mon", value: 3 }, { name: "Tue", value: 5 }] }),
      h(HeatMap, { label: "turns", days: [{ name: "Mon 16", hours: [0, 1, 2, 3, 9] }] }),
      h(Meter, { label: "disk", value: 95, max: 100 }),
      h(Tree, { label: "forks", nodes: [{ id: "a", parent: null }, { id: "b", parent: "a" }], current: "b" }, (node) => node.id),
    ],
  };
  globalThis.show = (kind, text) => render(h("main", null, h("h1", null, "Text"), h("h2", null, "Shown"),
    h("div", { id: "line" }, h("span", { id: "before" }, "before "), views[kind](text), h("span", { id: "after" }, " after"))), root);
  globalThis.ready = true;
`;

export interface TextPage extends AsyncDisposable {
  readonly url: string;
}

/** A page that shows texts with the dashboard's own parts, under its own policy. */
export async function serveTextPage(): Promise<TextPage> {
  const files = await textPageFiles();
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    const body = files.get(path);
    const type = path === "/" ? "text/html; charset=utf-8" : contentType(path);
    response.writeHead(body === undefined ? 404 : 200, { ...PAGE_HEADERS, "content-type": type }).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function textPageFiles(): Promise<ReadonlyMap<string, Uint8Array | string>> {
  const common: BuildOptions = {
    ...{ absWorkingDir: ROOT, outdir: ROOT, bundle: true, format: "esm", platform: "browser", write: false },
    ...{ jsx: "automatic", jsxImportSource: "preact", splitting: true, tsconfigRaw: {}, target: "chrome120" },
  };
  const workers = await build({ ...common, entryPoints: { text: WEB_WORKERS.text } });
  const page = await build({
    ...common,
    stdin: { contents: PAGE, loader: "js", resolveDir: ROOT, sourcefile: "page.js" },
    define: { NOMOS_WORKERS: JSON.stringify({ hub: "/assets/hub.js", text: "/assets/text.js" }) },
  });
  const files = [...(workers.outputFiles ?? []), ...(page.outputFiles ?? [])];
  const links =
    '<link rel="stylesheet" href="/assets/stdin.css"><script type="module" src="/assets/stdin.js"></script>';
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>safe</title>${links}`;
  return new Map<string, Uint8Array | string>([
    ["/", `<!doctype html><html lang="en"><head>${head}</head><body><div id="nomos"></div></body></html>`],
    ...files.map(({ path, contents }) => [`/assets/${basename(path)}`, contents] as const),
  ]);
}
