import type { Duplex } from "node:stream";

/**
 * `--die-with-parent` holds only once bubblewrap has asked the kernel for it. A daemon killed a moment earlier would
 * leave a sandbox that nobody ever ends (bubblewrap issues 633 and 700). So the program waits behind a gate: a shell
 * inside the sandbox says that it stands, which proves that both bubblewrap processes above it are bound; the daemon
 * answers; only then does the shell become the program. If the daemon is dead there is no answer, only the end of the
 * socket, and the shell ends without having started anything. (A bubblewrap that lost its other half still earlier may
 * wait for ever, with nothing in it; it carries the marker.)
 */
export function gatedArgv(argv: readonly string[], before = "", helper = ""): string[] {
  // What runs beside the program says itself that it is ready, for both.
  const script = helper === "" ? `${before}${READY} && ${AND_GO}` : `${before}{ ${helper} } & ${AND_GO}`;
  return ["/bin/sh", "-c", script, "start-gate", ...argv];
}

/** Where the shell finds the gate's socket: after stdin, stdout and stderr. */
export const GATE_FD = 3;

const READY = `printf r >&${GATE_FD}`;
const AND_GO = `read -r go <&${GATE_FD} && exec "$@" ${GATE_FD}>&-`;

/** Calls `mayStart` when the sandbox stands; the program starts if it answers true. */
export function keepGate(socket: Duplex, mayStart: () => boolean, onError: (error: Error) => void): void {
  socket.on("error", onError);
  socket.once("data", (word) => {
    if (String(word) === "r" && mayStart()) socket.end("go\n");
    else socket.destroy();
  });
}
