import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { newHome, runCli, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { expectOk, expectRefusal, newFolder, PATIENCE, start, turn } from "../support/talk.ts";

vi.setConfig(PATIENCE);

interface Shown {
  readonly name: string;
  readonly fingerprint: string;
  readonly bytes: number;
  readonly lost: boolean;
}

interface Listed {
  readonly secrets: readonly Shown[];
}

/** Made at run time, so that no file of the repository holds it. */
const canary = (): string => `fake-${randomBytes(12).toString("hex")}`;

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function tokenWith(capabilities: readonly string[]): Promise<string> {
  const asked = { capabilities, sandbox: "strict" };
  return expectOk(await daemon.call<{ secret: string }>("POST", "/api/tokens", asked), 201).secret;
}

/** Every file below a folder that holds the text. */
async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const isFile = await stat(path).then((one) => one.isFile());
      return isFile && (await readFile(path)).includes(text) ? [name] : [];
    }),
  );
  return found.flat();
}

proves(
  "SEC-1",
  "a secret is set, shown, rotated and removed over HTTP: no answer and no file holds its value",
  async () => {
    const [value, next] = [canary(), canary()];
    const bind = [{ host: "api.example.com", header: "Authorization", format: "Bearer {secret}" }];
    const answers = [
      await daemon.call("POST", "/api/secrets", { name: "API_KEY", value, bind }),
      await daemon.call("POST", "/api/secrets", { name: "API_KEY", value, scope: { workspace: "default" } }),
      await daemon.call("GET", "/api/secrets/API_KEY"),
      await daemon.call("GET", "/api/secrets?scope=workspace:default"),
      await daemon.call("PUT", "/api/secrets/API_KEY", { value: next }),
      await daemon.call("POST", "/api/secrets/API_KEY/bind", { bind: [] }),
      await daemon.call("DELETE", "/api/secrets/API_KEY?scope=home"),
      await daemon.call("GET", "/api/secrets"),
      await daemon.call("GET", "/api/audit/entries?limit=1000"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 200, 200, 200, 200, 200, 200]);
    expect(answers[0]?.body).toMatchObject({ name: "API_KEY", scope: {}, bind, bytes: value.length, lost: false });
    expect(answers[3]?.body).toMatchObject({ secrets: [{ scope: { workspace: "default" } }], next: null });
    expect(answers[4]?.body).toMatchObject({ bytes: next.length });
    const said = answers.map(({ text }) => text).join("\n");
    for (const text of [value, next]) {
      expect(said).not.toContain(text);
      expect(await filesWith(daemon.home, text)).toEqual([]);
    }
    expectRefusal(
      await daemon.call("POST", "/api/secrets", { name: "A", value: "short" }),
      400,
      "secret_value_refused",
    );
    expectRefusal(
      await daemon.call("POST", "/api/secrets", { name: "A", value: "fake\u0000value-nul" }),
      400,
      "invalid_request",
    );
    expectRefusal(await daemon.call("POST", "/api/secrets", { name: "A B", value: canary() }), 400, "invalid_request");
    const large = await daemon.call("POST", "/api/secrets", { name: "A", value: canary().repeat(40_000) });
    expect([large.status, large.text.includes("fake-")]).toEqual([400, false]);
  },
);

proves("SEC-4", "two tokens set the same name: each sees its own alone, also in the log", async () => {
  const [one, two] = await Promise.all([tokenWith(["secret.*", "audit.read"]), tokenWith(["secret.*"])]);
  const [first = "", second = ""] = [one, two];
  const name = "OWNED_BY_TWO";
  expectOk(await daemon.call("POST", "/api/secrets", { name, value: canary() }, bearer(first)), 201);
  expectOk(await daemon.call("POST", "/api/secrets", { name, value: canary() }, bearer(second)), 201);
  expectOk(await daemon.call("POST", "/api/secrets", { name: "OPERATORS_ONLY", value: canary() }), 201);
  for (const token of [first, second]) {
    const { secrets } = expectOk(await daemon.call<Listed>("GET", "/api/secrets", undefined, bearer(token)));
    expect(secrets.map((secret) => secret.name)).toEqual([name]);
    const hidden = await daemon.call("GET", "/api/secrets/OPERATORS_ONLY", undefined, bearer(token));
    const unknown = await daemon.call("GET", "/api/secrets/NOT_THERE_AT_ALL", undefined, bearer(token));
    for (const refused of [hidden, unknown]) expectRefusal(refused, 404, "secret_not_found");
    expect(hidden.text).toBe(unknown.text.replace("NOT_THERE_AT_ALL", "OPERATORS_ONLY"));
    for (const method of ["PUT", "DELETE"])
      expectRefusal(
        await daemon.call(method, "/api/secrets/OPERATORS_ONLY", { value: canary() }, bearer(token)),
        404,
        "secret_not_found",
      );
    expectRefusal(await daemon.call("POST", "/api/vault/rekey", {}, bearer(token)), 403, "sandbox_floor");
  }
  expect(
    expectOk(await daemon.call<Listed>("GET", "/api/secrets")).secrets.filter((one) => one.name === name),
  ).toHaveLength(2);
  const { entries } = expectOk(
    await daemon.call<{ entries: { id: string; type: string; data: unknown }[] }>(
      "GET",
      "/api/audit/entries?types=secret.sealed&limit=1000",
      undefined,
      bearer(first),
    ),
  );
  expect([entries.length > 2, entries.every(({ data }) => data === null)]).toEqual([true, true]);
  for (const path of [`/api/events/${entries[0]?.id}`, `/api/audit/proof/${entries[0]?.id}`]) {
    const shown = expectOk(await daemon.call<object>("GET", path, undefined, bearer(first)));
    expect(JSON.stringify(shown)).toContain('"data":null');
  }
  const stranger = await tokenWith(["session.read"]);
  expectRefusal(await daemon.call("GET", "/api/secrets", undefined, bearer(stranger)), 403, "denied");
});

proves("SEC-9", "a repeated call with its key answers the same; another value under the key is refused", async () => {
  const value = canary();
  const key = { "idempotency-key": "set once" };
  const set = (given: string) => daemon.call<Shown>("POST", "/api/secrets", { name: "ONCE", value: given }, key);
  const first = expectOk(await set(value), 201);
  expect(expectOk(await set(value), 201)).toEqual(first);
  expectRefusal(await set(canary()), 409, "idempotency_key_reused");
  expectOk(await daemon.call("POST", "/api/secrets/ONCE/bind", { bind: [] }, { "idempotency-key": "bind once" }));
  const held = async (request: string): Promise<boolean> => {
    const guess = createHash("sha256").update(request).digest("hex");
    return (await filesWith(daemon.home, guess)).length > 0;
  };
  // The hash of an ordinary request is in the log; that of a value is not, so nobody can try out values.
  expect(await held('secret.bind\0{"bind":[],"name":"ONCE"}')).toBe(true);
  expect(await held(`secret.set\0{"name":"ONCE","value":"${value}"}`)).toBe(false);
});

proves("SEC-10", "values come from a pipe, a file, a variable or a .env file, and never from an argument", async () => {
  const { home } = daemon;
  const [piped, filed, variable] = [canary(), `${canary()}\nsecond line`, canary()];
  const folder = await newFolder();
  await writeFile(join(folder, "value"), `${filed}\n`);
  await writeFile(
    join(folder, ".env"),
    `PORT=3000\nexport FROM_ENV="${canary()}\nmore"\nMODE=production\n2BAD=${canary()}\n`,
  );
  const cli = (args: readonly string[], input = "") =>
    runCli(["secret", ...args, "--json"], { home, input, cwd: folder, env: { CANARY_VARIABLE: variable } });
  const [a, b, c, d] = await Promise.all([
    cli(["set", "PIPED", "--stdin"], `${piped}\n`),
    cli(["set", "FILED", "--file", "value", "--scope=agent:demo"]),
    cli(["set", "VARIED", "--env", "CANARY_VARIABLE"]),
    cli(["import", ".env"]),
  ]);
  expect([a, b, c].map((one) => one.json<Shown>().bytes)).toEqual([piped.length, filed.length, variable.length]);
  expect(d.json()).toMatchObject({
    imported: ["FROM_ENV"],
    skipped: expect.arrayContaining([
      expect.objectContaining({ name: "PORT", reason: "too_short" }),
      expect.objectContaining({ name: "MODE", reason: "word" }),
      expect.objectContaining({ name: "2BAD", reason: "name" }),
    ]),
  });
  const refused = await Promise.all([
    cli(["set", "X", piped]),
    cli(["set", "X", `--value=${piped}`]),
    cli(["set", "X", "--stdin", "--file", "value"], piped),
    cli(["set", "X", "--env", "NOT_SET_HERE"]),
    cli(["set", "X"], piped),
    cli(["rotate", "PIPED", "--file", "missing"]),
    cli(["import", ".env", "--only", "NOT_THERE"]),
    cli(["unlock", "--stdin", "--key-file", "value"], piped),
    cli(["rekey", "--to", "file", "--stdin"], piped),
  ]);
  expect(refused.map(({ exitCode }) => exitCode)).toEqual(refused.map(() => 2));
  expect(refused.map(({ stdout, stderr }) => stdout + stderr).join("")).not.toContain(piped);
});

proves(
  "SEC-7",
  "the daemon is killed while secrets are set and rotated: acknowledged ones are there, none is lost",
  async () => {
    const home = await newHome();
    const acknowledged = new Map<string, string>();
    for (const round of [1, 2]) {
      const dying = await startDaemon({ home });
      const work = Array.from({ length: 30 }, async (_, n) => {
        const name = `ROUND_${round}_${n}`;
        for (const method of ["POST", "PUT", "PUT"]) {
          const path = method === "POST" ? "/api/secrets" : `/api/secrets/${name}`;
          const answer = await dying.call<Shown>(method, path, { name, value: canary() }).catch(() => null);
          if (answer === null) return;
          acknowledged.set(name, answer.body.fingerprint);
        }
      });
      await Promise.race([Promise.all(work), vi.waitUntil(() => acknowledged.size >= round * 12, { interval: 1 })]);
      await dying.kill9();
      await Promise.all(work);
    }
    const next = await startDaemon({ home });
    const { secrets } = expectOk(await next.call<Listed>("GET", "/api/secrets"));
    expect(secrets.filter(({ lost }) => lost)).toEqual([]);
    const shown = new Map(secrets.map(({ name, fingerprint }) => [name, fingerprint]));
    expect(acknowledged.size).toBeGreaterThan(20);
    for (const name of acknowledged.keys()) expect(shown.has(name)).toBe(true);
    expect(expectOk(await next.call<{ vault: object }>("GET", "/api/doctor")).vault).toMatchObject({
      state: "open",
      lost: 0,
    });
  },
);

proves(
  "SEC-6",
  "a backup on another machine: sealed bytes and no key; locked, all else works, and the key opens it",
  async () => {
    const value = canary();
    expectOk(await daemon.call("POST", "/api/secrets", { name: "BACKED_UP", value }), 201);
    const before = expectOk(await daemon.call<Shown>("GET", "/api/secrets/BACKED_UP"));
    const folder = await newFolder();
    const to = join(folder, "backup");
    expectOk(await daemon.call("POST", "/api/backup", { to }));
    expect((await readdir(join(to, "keys"))).toSorted()).toEqual(["key.pub", "log.key"]);
    expect(await readdir(join(to, "vault"))).toEqual(["secrets.age"]);
    const key = await readFile(join(daemon.home, "keys", "vault.key"), "utf8");
    const own = key.split("\n").find((line) => line.startsWith("AGE-SECRET-KEY-")) ?? expect.fail("a key");
    expect([await filesWith(to, own), await filesWith(to, value)]).toEqual([[], []]);

    const home = await newHome();
    expect((await runCli(["restore", to, "--json"], { home })).exitCode).toBe(0);
    const elsewhere = await startDaemon({ home });
    expect(expectOk(await elsewhere.call<{ vault: object }>("GET", "/api/status")).vault).toMatchObject({
      state: "locked",
      why: "no_key",
      remedy: expect.stringContaining("--key-file"),
    });
    const { id } = await start(elsewhere);
    await turn(elsewhere, id, "say everything else works");
    expect(expectOk(await elsewhere.call<Shown>("GET", "/api/secrets/BACKED_UP")).fingerprint).toBe(before.fingerprint);
    expectRefusal(await elsewhere.call("PUT", "/api/secrets/BACKED_UP", { value: canary() }), 503, "vault_locked");
    const doctor = await runCli(["doctor"], { home });
    expect([doctor.exitCode, doctor.stdout]).toEqual([0, expect.stringMatching(/^-- +vault +locked: /m)]);
    await writeFile(join(folder, "key"), key, { mode: 0o600 });
    const unlocked = await runCli(["secret", "unlock", "--key-file", join(folder, "key")], { home });
    expect([unlocked.exitCode, unlocked.stdout]).toEqual([0, expect.stringContaining("The vault is open")]);
    expectOk(await elsewhere.call("PUT", "/api/secrets/BACKED_UP", { value: canary() }));
    await elsewhere.stop();

    await rm(join(home, "log.db"));
    expect((await runCli(["restore", to, "--json"], { home })).exitCode).toBe(0);
    const again = await startDaemon({ home });
    expect(expectOk(await again.call<{ vault: object }>("GET", "/api/status")).vault).toMatchObject({ state: "open" });
  },
);
