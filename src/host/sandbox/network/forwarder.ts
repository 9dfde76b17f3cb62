import { GATE_FD } from "../../processes/start-gate.ts";
import { INSIDE } from "../walls.ts";

/**
 * Shell script that starts the forwarder beside the program in a sandbox without a network. The forwarder itself
 * signals the start gate when it listens, so that the program does not start before it.
 */
export function forwarderScript(ports: readonly number[]): string {
  const order = JSON.stringify({ ports, socket: INSIDE.door, gateFd: GATE_FD });
  const code = `(${forward.toString()})(${order})`;
  // An empty environment: Node variables meant for the program would affect the forwarder too.
  return `exec env -i ${NODE_FLAGS.reduce((argv, flag) => `${argv} ${flag}`, quoted(process.execPath))} -e ${quoted(code)} </dev/null >/dev/null 2>&1;`;
}

/** It holds only a few connections, so it gets as little memory as possible. */
const NODE_FLAGS = ["--max-old-space-size=32", "--max-semi-space-size=1", "--single-threaded-gc", "--no-opt"];

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

interface ForwardOrder {
  readonly ports: readonly number[];
  readonly socket: string;
  readonly gateFd: number;
}

/**
 * Runs inside the sandbox as source text, so it can use only its argument and Node. It connects each port to the
 * daemon's socket and sends the port in two bytes; the daemon decides.
 */
function forward({ ports, socket, gateFd }: ForwardOrder): void {
  const net = process.getBuiltinModule("node:net");
  const fs = process.getBuiltinModule("node:fs");
  const ready = (word: string): void => {
    fs.writeSync(gateFd, word);
    fs.closeSync(gateFd);
  };
  let waiting = ports.length * 2;
  const settled = (): void => {
    waiting -= 1;
    if (waiting === 0) ready("r");
  };
  for (const port of ports) {
    for (const host of ["127.0.0.1", "::1"]) {
      const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (inside) => {
        const outside = net.connect({ path: socket, allowHalfOpen: true });
        outside.write(Buffer.from([port >> 8, port & 255]));
        inside.pipe(outside).pipe(inside);
        inside.on("error", () => outside.destroy());
        outside.on("error", () => inside.destroy());
        inside.on("close", (hadError) => (hadError ? outside.destroy() : outside.end()));
        outside.on("close", () => inside.end());
      });
      server.once("error", settled);
      server.listen({ port, host, ipv6Only: true }, settled);
    }
  }
}
