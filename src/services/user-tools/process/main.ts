import { registerHooks, stripTypeScriptTypes } from "node:module";
import { createInterface } from "node:readline";
import { describeTool, runTool } from "./loaded-tool.ts";
import type { ToolOrder, ToolReply } from "./protocol.ts";

/** The process of a person's tool: it describes the tool or runs one call, then it ends. */
const write = process.stdout.write.bind(process.stdout);
const controller = new AbortController();
const lines = createInterface({ input: process.stdin });
// Closing the input is how the daemon says that the call is no longer wanted.
lines.once("close", () => controller.abort(new Error("the call was given up")));
lines.once("line", (line) => {
  // Only the daemon writes here, so the line is an order.
  const order: ToolOrder = JSON.parse(line);
  const leave = (reply: ToolReply) => write(`\n${order.mark}${JSON.stringify(reply)}\n`, () => process.exit(0));
  const fail = (thrown: unknown) => leave({ kind: "failed", message: explain(thrown) });
  process.once("uncaughtException", fail);
  process.once("unhandledRejection", fail);
  obey(order).then(leave, fail);
});

async function obey(order: ToolOrder): Promise<ToolReply> {
  supplySource(order);
  const module: { readonly default?: unknown } = await import(order.url);
  if (order.call === null) return { kind: "described", tool: describeTool(module.default) };
  const log = (text: unknown) =>
    void write(`\n${order.mark}${JSON.stringify({ kind: "log", text: String(text) } satisfies ToolReply)}\n`);
  const { cwd, input } = order.call;
  return { kind: "result", result: await runTool(module.default, input, { cwd, signal: controller.signal, log }) };
}

const PUBLISHED = "nomos/tool";
const PUBLISHED_URL = "data:text/javascript,export const defineTool = (tool) => tool;";

/** The file's bytes come with the order. `nomos/tool` is answered from here: most folders have no package of that name. */
function supplySource({ url, source, isTypeScript, isAlone }: ToolOrder): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === url) return { url, shortCircuit: true };
      if (specifier === PUBLISHED) return { url: PUBLISHED_URL, shortCircuit: true };
      if (isAlone && !isBuiltIn(specifier) && context.parentURL !== undefined) throw refusedImport(specifier);
      return next(specifier, context);
    },
    load: (asked, context, next) => {
      if (asked !== url) return next(asked, context);
      const code = isTypeScript ? stripTypeScriptTypes(source) : source;
      return { format: "module", source: code, shortCircuit: true };
    },
  });
}

function isBuiltIn(specifier: string): boolean {
  return specifier.startsWith("node:") || process.getBuiltinModule(specifier) !== undefined;
}

function refusedImport(specifier: string): Error {
  return new Error(
    `it imports ${JSON.stringify(specifier)}: a repository's tool is one file, which may import only node: modules and nomos/tool`,
  );
}

function explain(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.stack?.includes(thrown.message) === true ? thrown.stack : `${thrown.message}\n${thrown.stack ?? ""}`;
}
