import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { proves } from "../../test/support/proves.ts";
import { openDaemonLog } from "./daemon-log.ts";
import { withoutSecrets } from "./without-secrets.ts";

const newHome = async (): Promise<string> => {
  const home = await mkdtemp(join(tmpdir(), "nomos-log-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
};

proves("Q9", "the daemon's log is bounded in size and number, in bytes, whatever is written", async () => {
  const home = await newHome();
  const log = openDaemonLog(home, () => undefined, 50_000);
  for (let n = 0; n < 3000; n += 1) {
    log.write(`line ${n}`, { text: "ü".repeat(60), huge: n % 100 === 0 ? "x".repeat(1_000_000) : "" });
    if (n % 50 === 0) await new Promise((soon) => setImmediate(soon));
  }
  await log.close();
  const folder = join(home, "logs");
  const names = (await readdir(folder)).sort();
  expect(names).toEqual(["daemon.log", "daemon.log.1", "daemon.log.2", "daemon.log.3"]);
  for (const name of names) {
    const { size, mode } = await stat(join(folder, name));
    expect(size).toBeLessThan(50_000 + 20_000);
    expect(mode & 0o077).toBe(0);
    for (const line of (await readFile(join(folder, name), "utf8")).trim().split("\n").filter(Boolean))
      expect(JSON.parse(line)).toHaveProperty("at");
  }
  expect(await readFile(join(folder, "daemon.log"), "utf8").then((text) => text === "" || text.includes("2999"))).toBe(
    true,
  );
});

proves("Q9", "no secret gets into the log, under whatever name and in whatever message", async () => {
  const home = await newHome();
  const log = openDaemonLog(home, () => undefined);
  const secrets = [
    `nmo_${"a1".repeat(32)}`,
    `nmt_${"b2".repeat(24)}`,
    "hunter2hunter2",
    "sk-ant-abcdefghijklmnopqrstuvwxyz",
    "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
    `nomos.ticket.${"c3".repeat(24)}`,
  ];
  for (const secret of secrets) {
    log.write(`a request failed: Authorization: Bearer ${secret}`, {
      reason: `Error: connect postgres://me:${secret}@db/nomos`,
      token: secret,
      nested: { apiKey: secret, url: `https://x/?api_key=${secret}&y=1` },
    });
    log.write("too long", { token: secret, text: "x".repeat(100_000), password: secret });
  }
  await log.close();
  const text = await readFile(join(home, "logs", "daemon.log"), "utf8");
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).toContain("postgres://me:[secret]@db/nomos");
  for (const line of text.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
});

proves("Q9", "what is no secret stays readable", () => {
  const plain = JSON.stringify({
    message: "a token was revoked",
    id: "0198c0de-aaaa-7bbb-8ccc-ddddeeeeffff",
    tokens: 3,
  });
  expect(withoutSecrets(plain)).toBe(plain);
});

proves("T10", "the daemon's log is safe to look at with any program", async () => {
  const home = await newHome();
  const log = openDaemonLog(home, () => undefined);
  const details = { path: "\u009b2J\u202e\u2028\u{e0041}\u007f\u001b]0;x\u0007" };
  log.write("hostile", details);
  await log.close();
  const text = await readFile(join(home, "logs", "daemon.log"), "utf8");
  expect(JSON.parse(text)).toMatchObject(details);
  expect(text.trim()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
});
