import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { openDaemonLog } from "./daemon-log.ts";
import { withoutSecrets } from "./without-secrets.ts";

const QUIET = { echo: () => undefined, redact: (text: string) => text };

const newHome = async (): Promise<string> => {
  const home = await mkdtemp(join(tmpdir(), "nomos-log-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
};

proves("Q9", "the daemon's log stays within its limits of bytes and files, whatever is written", async () => {
  const home = await newHome();
  const log = openDaemonLog(home, { ...QUIET, bytesMax: 50_000 });
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

proves("Q9", "a secret under any name, in any message: it is not written to the daemon's log", async () => {
  const home = await newHome();
  const log = openDaemonLog(home, QUIET);
  const secrets = [
    `nmo_${"a1".repeat(32)}`,
    `nmt_${"b2".repeat(24)}`,
    `nst_${"d4".repeat(24)}`,
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

proves("Q9", "text that is not a secret stays readable in the daemon's log", () => {
  const plain = JSON.stringify({
    message: "a token was revoked",
    id: "0198c0de-aaaa-7bbb-8ccc-ddddeeeeffff",
    tokens: 3,
  });
  expect(withoutSecrets(plain)).toBe(plain);
});

proves("T10", "control characters in a message: the daemon's log is safe to print to a terminal", async () => {
  const home = await newHome();
  const log = openDaemonLog(home, QUIET);
  const details = { path: "\u009b2J\u202e\u2028\u{e0041}\u007f\u001b]0;x\u0007" };
  log.write("hostile", details);
  await log.close();
  const text = await readFile(join(home, "logs", "daemon.log"), "utf8");
  expect(JSON.parse(text)).toMatchObject(details);
  expect(text.trim()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
});

proves("TK-6", "a secret is removed in every spelling: encoded, nested, in a flag, a header or an address", () => {
  const hidden = "d4".repeat(24);
  const secret = `nst_${hidden}`;
  const word = "hunter2hunter2";
  const lines = [
    ...[`GET /x?q=%20${secret}`, `a${secret}b`, `_${secret}`, `NST_${hidden}`, `nst%5F${hidden}`, `nmo%5f${hidden}`],
    ...[`http://127.0.0.1:4200/#link=nml_${hidden}`, `"nmp_${hidden}"`, `cookie: nomos-4200=${hidden}`],
    ...[`authorization%3A%20Bearer%20${word}`, `{"h":"Bearer ${word}"}`, JSON.stringify({ a: `"Bearer ${word}"` })],
    ...[
      `postgres://me:${word}@db`,
      `postgres://me:a/${word}@db`,
      `postgres://me:a@${word}@db`,
      `https://${word}@host/`,
    ],
    ...[`postgres%3A%2F%2Fme%3A${word}%40db`, `host=db password='a ${word}'`, `PGPASSWORD=${word}`],
    ...[`ANTHROPIC_API_KEY=${word}`, `agent --api-key ${word}`, `["agent","--api-key","${word}"]`, `--token=${word}`],
    JSON.stringify({ reason: JSON.stringify({ clientSecret: word, password: `a"${word}` }) }),
    JSON.stringify({ reason: JSON.stringify({ inner: JSON.stringify({ access_token: word }) }) }),
    ...[`X-Api-Key: ${word}`, `Cookie: sid=${word}`, `https://x/?key=${word}`, JSON.stringify({ accessToken: word })],
    ...[`%2Fsk-ant-${word}0123`, `eyJhbGciOiJI.${word}.${word}`, `x_ghp_${word}0123456789`],
  ];
  for (const line of lines) {
    expect(withoutSecrets(line), line).not.toContain(word);
    expect(withoutSecrets(line), line).not.toContain(hidden);
  }
  const long = `${"a".repeat(200_000)}"password":"`;
  expect(withoutSecrets(long)).toHaveLength(long.length);
});
