import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { Json } from "../../kernel/index.ts";
import type { FromScript, ScriptMethod, ToScript, TurnOrder } from "./protocol.ts";
import { createScriptTurn } from "./script-turn.ts";

/** The process of a user's driver file: one turn, then it ends. So an edited file is used from the next turn on. */
const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
const waiting = new Map<number, { readonly resolve: (value: Json) => void; readonly reject: (error: Error) => void }>();
const writeOut = process.stdout.write.bind(process.stdout);
let mark = "";
let calls = 0;

const send = (message: FromScript) => writeOut(`${mark}${JSON.stringify(message)}\n`);
const call = (method: ScriptMethod, args: readonly Json[]): Promise<Json> => {
  calls += 1;
  const { promise, resolve, reject } = Promise.withResolvers<Json>();
  waiting.set(calls, { resolve, reject });
  send({ kind: "call", id: calls, method, args });
  return promise;
};
const turn = createScriptTurn(call);

lines.on("line", (line) => {
  const message: ToScript = JSON.parse(line);
  switch (message.kind) {
    case "turn":
      mark = message.mark;
      obey(message);
      return;
    case "answer":
      waiting.get(message.id)?.resolve(message.value);
      waiting.delete(message.id);
      return;
    case "refusal":
      waiting.get(message.id)?.reject(Object.assign(new Error(message.message), { code: message.code }));
      waiting.delete(message.id);
      return;
    case "output":
      turn.deliver(message.process, message.stream, message.text);
      return;
    case "abort":
      turn.abort();
  }
});
lines.on("close", () => process.exit(0));

function obey(order: TurnOrder): void {
  runFile(order).then(
    (end) => leave(end),
    (thrown: unknown) => leave({ kind: "fail", code: "driver_failed", message: explain(thrown) }),
  );
}

async function runFile(order: TurnOrder): Promise<FromScript> {
  const loaded = await import(pathToFileURL(order.file).href).then(
    (module: { readonly default?: unknown }) => module.default,
    (thrown: unknown) => ({ problem: explain(thrown) }),
  );
  if (typeof loaded !== "function") {
    const problem =
      typeof loaded === "object" && loaded !== null && "problem" in loaded
        ? String(loaded.problem)
        : "it exports no function as default";
    return { kind: "fail", code: "driver_file_invalid", message: problem };
  }
  await loaded(turn.context(order));
  return { kind: "end" };
}

function leave(end: FromScript): void {
  writeOut(`${mark}${JSON.stringify(end)}\n`, () => process.exit(0));
}

function explain(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
