import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDaemon } from "../../src/app/index.ts";
import type { Syscall } from "../../src/syscalls/index.ts";
import type { ToolSource } from "../../src/turns/index.ts";

/** A daemon in this process with additional syscalls, for tests that must look inside a call. */
export interface DaemonHere extends AsyncDisposable {
  readonly home: string;
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** A scoped token; with a session it is that session's own. */
  readonly scoped: (capabilities: readonly string[], sessionId?: string) => Promise<string>;
  readonly call: (method: string, path: string, body?: unknown, token?: string) => Promise<Response>;
}

export async function startDaemonHere(
  given: {
    readonly moreSyscalls?: readonly Syscall[];
    readonly moreTools?: readonly ToolSource[];
    readonly config?: Readonly<Record<string, unknown>>;
    readonly webFolder?: string;
  } = {},
): Promise<DaemonHere> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "nomos-here-")));
  const home = join(root, "home");
  await mkdir(home, { mode: 0o700 });
  if (given.config !== undefined) await writeFile(join(home, "config.json"), JSON.stringify(given.config));
  const daemon = await startDaemon({
    home,
    port: 0,
    version: "0.0.0",
    environment: process.env,
    cwd: root,
    tour: false,
    echo: () => undefined,
    die: (exitCode) => {
      throw new Error(`the daemon wants to die with ${exitCode}`);
    },
    ...(given.moreSyscalls === undefined ? {} : { moreSyscalls: given.moreSyscalls }),
    ...(given.moreTools === undefined ? {} : { moreTools: given.moreTools }),
    ...(given.webFolder === undefined ? {} : { webFolder: given.webFolder }),
  });
  const operator = (await readFile(join(home, "token"), "utf8")).trim();
  const url = `http://127.0.0.1:${daemon.port}`;
  const call: DaemonHere["call"] = (method, path, body, token = operator) =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    home,
    url,
    port: daemon.port,
    token: operator,
    call,
    scoped: async (capabilities, sessionId) => {
      const asked = { capabilities, ...(sessionId === undefined ? {} : { sessionId }) };
      const { secret }: { secret: string } = JSON.parse(await (await call("POST", "/api/tokens", asked)).text());
      return secret;
    },
    [Symbol.asyncDispose]: async () => {
      await daemon.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
