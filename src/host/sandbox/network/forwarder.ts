import { GATE_FD } from "../../processes/start-gate.ts";
import { INSIDE } from "../walls.ts";

/**
 * For the shell at the start gate: what runs beside the program in a sandbox without a network. It says at the gate when
 * it listens, so that no program is quicker than it.
 */
export function forwarderScript(ports: readonly number[]): string {
  const order = JSON.stringify({ ports, socket: INSIDE.door, gateFd: GATE_FD });
  const code = `(${forward.toString()})(${order})`;
  // Nothing of the program's environment: what it says about Node would be obeyed here too.
  return `exec env -i ${NODE_FLAGS.reduce((argv, flag) => `${argv} ${flag}`, quoted(process.execPath))} -e ${quoted(code)} </dev/null >/dev/null 2>&1;`;
}

/** It holds a few connections and no data: the smallest Node there is. */
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
 * Runs inside, as source: it can use nothing but its argument and Node. A connection to one of the ports becomes one to
 * the daemon's socket, which is told the port in two bytes and decides.
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
