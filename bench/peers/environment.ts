import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** Makes folders of one peer in the run's scratch. */
export function folderMaker(scratch: string, peer: string): (name: string) => string {
  return (name) => {
    const folder = join(scratch, `peers-${peer}-${name}`);
    mkdirSync(folder);
    return folder;
  };
}

/** No request gets past this: the port is the discard service's, where nothing listens. */
const NOWHERE = "http://127.0.0.1:9";

/** What a peer is started with: a home of its own, nothing of the caller's, and no way out but loopback. */
export function peerEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    DO_NOT_TRACK: "1",
    HTTP_PROXY: NOWHERE,
    HTTPS_PROXY: NOWHERE,
    NO_PROXY: "127.0.0.1,localhost",
  };
}
