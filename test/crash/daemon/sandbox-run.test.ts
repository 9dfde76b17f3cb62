import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { eventually, expectOk, expectRefusal, newFolder, PATIENCE } from "../../e2e/support/talk.ts";
import { newHome, startDaemon } from "../../support/daemon.ts";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";

vi.setConfig(PATIENCE);

proves.skipIf(!needs("bwrap"))(
  "TK-11",
  "kill -9 while a command runs, then the same key again: it ran once, and its outcome is unknown",
  async () => {
    const home = await newHome();
    const cwd = await newFolder();
    const ran = () => readFile(join(cwd, "ran"), "utf8").catch(() => "");
    const key = { "idempotency-key": "once" };
    const body = { argv: ["sh", "-c", "echo ran >> ran; sleep 30"], cwd };
    const first = await startDaemon({ home });
    const done = { argv: ["sh", "-c", "echo done >> done"], cwd };
    expectOk(await first.call("POST", "/api/sandbox/run", done, { "idempotency-key": "done" }));
    const lost = first.call("POST", "/api/sandbox/run", body, key).catch(() => null);
    await eventually("it runs", async () => (await ran()) !== "");
    await first.kill9();
    await lost;
    const second = await startDaemon({ home });
    for (let n = 0; n < 2; n += 1)
      expectRefusal(await second.call("POST", "/api/sandbox/run", body, key), 409, "call_outcome_unknown");
    expect(await ran()).toBe("ran\n");
    expectRefusal(
      await second.call("POST", "/api/sandbox/run", { ...body, argv: ["true"] }, key),
      409,
      "idempotency_key_reused",
    );
    // A command that had ended is reported as ended, with only what is still known.
    expect(expectOk(await second.call("POST", "/api/sandbox/run", done, { "idempotency-key": "done" }))).toMatchObject({
      timedOut: false,
      exitCode: null,
    });
    expect(await readFile(join(cwd, "done"), "utf8")).toBe("done\n");
  },
);

proves.skipIf(!needs("bwrap"))(
  "TK-11",
  "a command that cannot run is refused before it is recorded: its key stays free",
  async () => {
    const daemon = await startDaemon();
    const cwd = await newFolder();
    const key = { "idempotency-key": "free" };
    const missing = { argv: ["no-such-program-at-all"], cwd };
    const refused = await daemon.call("POST", "/api/sandbox/run", missing, key);
    expect(refused.status).toBe(400);
    expect((await daemon.call("POST", "/api/sandbox/run", missing, key)).status).toBe(400);
    expectRefusal(
      await daemon.call("POST", "/api/sandbox/run", { argv: ["true"], cwd: join(cwd, "no") }, key),
      400,
      "cwd_missing",
    );
  },
);
