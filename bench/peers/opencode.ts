import { join } from "node:path";
import { z } from "zod";
import { createJsonClient } from "../api-client.ts";
import { startDaemon } from "../daemon.ts";
import { type Bench, type Figure, timedMs } from "../harness.ts";
import { folderMaker, peerEnvironment } from "./environment.ts";
import { type Launch, nomosLaunch, startFigures, startPeer } from "./server.ts";
import { versus } from "./turns.ts";

/** Also the number of sessions that exist when lists are measured. */
const CREATED = { warmUp: 20, measured: 100 };
const CREATED_QUICK = { warmUp: 2, measured: 10 };
const READS = { warmUp: 10, measured: 150 };
const READS_QUICK = { warmUp: 2, measured: 20 };
const PAGE = 100;
const WORK = { title: "a session" };

/** opencode's server: it keeps sessions and answers over HTTP, as we do. */
export async function measureOpencode(bench: Bench, modules: string): Promise<readonly Figure[]> {
  const folder = folderMaker(bench.scratch, "opencode");
  const [ours, home, work] = [folder("ours"), folder("home"), folder("work")];
  const product = await bench.product();
  const peer = opencodeLaunch(modules, home, work);
  const starts = await startFigures(bench, "opencode", "opencode serve", { nomos: nomosLaunch(product, ours), peer });
  await using daemon = await startDaemon(product, ours);
  await using server = await startPeer(peer);
  const client = createJsonClient(server.port, {});
  try {
    const theirs = z.object({ id: z.string() }).parse(await client.call("POST", "/session", WORK));
    const mine = await daemon.api.call("POST", "/sessions/agent", { adapter: "demo", cwd: work });
    const reads = bench.quick ? READS_QUICK : READS;
    const figure = (name: string, what: string, asked: string) => ({
      name: `peers.opencode.${name}`,
      what: `${what}, over HTTP, one request after the other`,
      peer: `opencode's \`${asked}\``,
    });
    const get = (path: string) => () => timedMs(() => daemon.api.call("GET", path));
    const theirGet = (path: string) => () => timedMs(() => client.call("GET", path));
    return [
      ...starts,
      await versus(
        figure("create", "`POST /sessions/agent`: a new session", "POST /session"),
        bench.quick ? CREATED_QUICK : CREATED,
        {
          nomos: () => timedMs(() => daemon.api.call("POST", "/sessions/agent", { adapter: "demo", cwd: work })),
          peer: () => timedMs(() => client.call("POST", "/session", WORK)),
        },
      ),
      await versus(figure("list", `\`GET /sessions\`: a page of ${PAGE} sessions`, "GET /session"), reads, {
        nomos: get(`/sessions?limit=${PAGE}`),
        peer: theirGet(`/session?limit=${PAGE}`),
      }),
      await versus(figure("show", "`GET /sessions/:id`: one session", "GET /session/:id"), reads, {
        nomos: get(`/sessions/${String(mine["id"])}`),
        peer: theirGet(`/session/${theirs.id}`),
      }),
    ];
  } finally {
    client.close();
  }
}

function opencodeLaunch(modules: string, home: string, cwd: string): Launch {
  return {
    argv: (port) => [
      join(modules, ".bin", "opencode"),
      ...["serve", "--pure", "--hostname", "127.0.0.1", "--port", String(port)],
    ],
    env: {
      ...peerEnvironment(home),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_SHARE: "1",
    },
    cwd,
    health: "/global/health",
  };
}
