import { z } from "zod";
import { ApprovalWire, EventWire, SessionWire } from "../../src/contract/index.ts";
import { jsonSchema } from "../../src/surfaces/index.ts";
import { SYSCALLS } from "../../src/syscalls/index.ts";

const FOLDER = "docs/reference/schemas";

/** The wire shapes of AIP-46 as JSON Schema 2020-12, one file each: AIP-46 itself has none. */
export function aip46Schemas(): Readonly<Record<string, string>> {
  const input = (name: string): Shape => [syscall(name).input, "input"];
  const output = (name: string): Shape => [syscall(name).output, "output"];
  const shapes: Readonly<Record<string, Shape>> = {
    session: [SessionWire, "output"],
    "session-list": output("session.list"),
    "spawn-request": input("session.start"),
    "spawn-answer": output("session.start"),
    "prompt-request": [syscall("session.prompt").input.omit({ id: true }), "input"],
    "prompt-answer": output("session.prompt"),
    "interrupt-answer": output("session.interrupt"),
    "kill-answer": output("session.kill"),
    "output-answer": output("session.output"),
    "delegates-answer": output("session.delegates"),
    "conformance-answer": output("system.conformance"),
    "workspace-list": output("workspace.list"),
    "stream-line": output("session.stream"),
    "stream-event": [EventWire, "output"],
    "stream-delta": [z.object({ turnId: z.string(), source: z.string(), text: z.string() }), "output"],
    "stream-status": [
      SessionWire.pick({ id: true, state: true, status: true, busy: true, queued: true, waitingFor: true }),
      "output",
    ],
    "stream-gap": [z.object({ dropped: z.number().int(), of: z.string() }), "output"],
    "stream-end": [z.object({ id: z.string() }), "output"],
    approval: [ApprovalWire, "output"],
    error: [
      z.object({
        error: z.object({
          code: z.string(),
          message: z.string(),
          remedy: z.string(),
          details: z.record(z.string(), z.json()),
        }),
      }),
      "output",
    ],
  };
  return Object.fromEntries(
    Object.entries(shapes).map(([name, [shape, io]]) => [
      `${FOLDER}/${name}.json`,
      `${JSON.stringify({ $id: `nomos:aip46/${name}`, title: name, ...jsonSchema(shape, io) }, null, 2)}\n`,
    ]),
  );
}

type Shape = readonly [z.ZodType, "input" | "output"];

function syscall(name: string) {
  const found = SYSCALLS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no syscall ${name}`);
  return found;
}
