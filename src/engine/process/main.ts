import { createLineReader } from "../link/line-reader.ts";
import type { FromEngine, ToEngine } from "../link/protocol.ts";
import { createEngineSide } from "./engine-side.ts";
import { createSender } from "./sender.ts";

/** The engine's process: the loops of many sessions, with nothing of its own that the log does not have. */
const sender = createSender((text) => process.stdout.write(text));
const side = createEngineSide((message: FromEngine) => sender.send(message));

const lines = createLineReader((line) => side.hear(JSON.parse(line) as ToEngine));
process.stdin.on("data", (bytes: Buffer) => lines.take(bytes));
process.stdin.on("close", () => process.exit(0));
sender.send({ kind: "ready" });
