import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ClientError, connect } from "../../src/cli/daemon/node-client.ts";
import { newHome, startDaemon } from "../support/daemon.ts";

test("a daemon killed and started again under a client: calls wait for it, a stream goes on, nothing is done twice", async () => {
  const home = await newHome();
  const first = await startDaemon({ home });
  const nomos = await connect({ home });
  const { id } = await nomos.session.start({ adapter: "demo", cwd: join(home, ".."), prompt: "say one" });
  await nomos.session.wait({ id });
  const seen: string[] = [];
  const following = (async () => {
    for await (const item of nomos.session.stream({ id })) {
      if (item.event === "line" && !item.data.line.startsWith("──")) seen.push(item.data.line);
      if (seen.includes("two")) return;
    }
  })();
  await expect.poll(() => seen).toEqual(["one"]);
  await first.kill9();
  const prompted = nomos.session.prompt({ id, prompt: "say two" });
  await startDaemon({ home });
  await prompted;
  await following;
  expect(seen).toEqual(["one", "two"]);
  const { events } = await nomos.session.events({ id, types: ["turn.admitted@1"] });
  expect(events).toHaveLength(2);
});

test("a token goes to no address but the one it was given for", async () => {
  const daemon = await startDaemon();
  await expect(connect({ home: daemon.home, url: daemon.url })).rejects.toMatchObject({ code: "usage" });
  vi.stubEnv("NOMOS_URL", "http://127.0.0.1:1");
  vi.stubEnv("NOMOS_TOKEN", "of another daemon");
  try {
    await expect(connect({ url: daemon.url })).rejects.toMatchObject({ code: "usage" });
    const [here, named] = [await connect({ home: daemon.home }), await connect(daemon)];
    expect((await here.system.status()).version).toBe((await named.system.status()).version);
    expect((await connect()).url).toBe("http://127.0.0.1:1");
  } finally {
    vi.unstubAllEnvs();
  }
});

test("a home without a daemon, and one whose note is stale: the client says that none runs", async () => {
  const { home, stop } = await startDaemon();
  await stop();
  await writeFile(join(home, "daemon.json"), '{"pid":999999999,"port":1}\n');
  for (const place of [home, join(home, "nowhere")]) {
    const thrown = await connect({ home: place }).catch((refusal: unknown) => refusal);
    expect(thrown).toBeInstanceOf(ClientError);
    expect(thrown).toMatchObject({ code: "daemon_unreachable", message: `No daemon runs on ${place}.` });
  }
});
