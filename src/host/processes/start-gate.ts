import type { Duplex } from "node:stream";

/**
 * `--die-with-parent` works only after bubblewrap has asked the kernel for it. If the daemon were killed a moment
 * earlier, the sandbox would run for ever (bubblewrap issues 633 and 700). So the program waits behind a gate: a shell
 * inside reports that it runs, which proves that both bubblewrap processes above it are bound to the daemon. The daemon
 * answers, and only then does the shell exec the program. If the daemon is dead, the shell sees the end of the socket
 * and exits without starting anything. (A bubblewrap that lost its other half even earlier may wait for ever, but runs
 * nothing and carries the marker.)
 */
export function gatedArgv(argv: readonly string[], before = "", helper = ""): string[] {
  // The helper beside the program reports readiness for both.
  const script = helper === "" ? `${before}${READY} && ${AND_GO}` : `${before}{ ${helper} } & ${AND_GO}`;
  return ["/bin/sh", "-c", script, "start-gate", ...argv];
}

/** The gate's socket in the shell, after stdin, stdout and stderr. */
export const GATE_FD = 3;

const READY = `printf r >&${GATE_FD}`;
const AND_GO = `read -r go <&${GATE_FD} && exec "$@" ${GATE_FD}>&-`;

/** Calls `mayStart` when the sandbox is ready; the program starts if it returns true. */
export function keepGate(socket: Duplex, mayStart: () => boolean, onError: (error: Error) => void): void {
  socket.on("error", onError);
  socket.once("data", (word) => {
    if (String(word) === "r" && mayStart()) socket.end("go\n");
    else socket.destroy();
  });
}
