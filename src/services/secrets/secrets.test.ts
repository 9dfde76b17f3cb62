import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { BY, type CommitHome, makeCommitHome } from "../../../test/support/commit-home.ts";
import { proves } from "../../../test/support/proves.ts";
import { newRedactor } from "../../../test/support/redactor.ts";
import { newId } from "../../../test/support/store-home.ts";
import { type Committer, createCommitter, UNBOUNDED } from "../../commit/index.ts";
import { AccessToken, HOME_SCOPE, issueToken, parseSecretScope, type SecretPlace } from "../../domains/index.ts";
import { openFingerprints, systemClock, type VaultFiles } from "../../host/index.ts";
import { vaultFiles } from "../../host/vault/vault-files.ts";
import type { Store } from "../../store/index.ts";
import type { KnownValue } from "./known-value.ts";
import { openSecrets } from "./open-secrets.ts";
import type { NewValue, Secrets } from "./secrets.ts";

const NOWHERE: SecretPlace = { workspace: null, agent: null, sessionId: null, owner: "operator" };
const at = (scope: string) => parseSecretScope(scope) ?? expect.fail(scope);
const given = (name: string, value: string, scope = "home"): NewValue => ({ name, value, scope: at(scope), bind: [] });

interface Place {
  readonly home: string;
  readonly log: CommitHome;
  readonly open: (ports?: { readonly files?: VaultFiles; readonly committer?: Committer }) => Promise<Secrets>;
  readonly learned: KnownValue[];
}

async function newPlace(): Promise<Place> {
  const home = await mkdtemp(join(tmpdir(), "nomos-secrets-"));
  const log = await makeCommitHome();
  onTestFinished(async () => {
    await log[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  });
  const learned: KnownValue[] = [];
  const open: Place["open"] = async ({ files, committer = log.committer } = {}) =>
    openSecrets({
      ...{ home, store: log.store, committer, newId, operatorHolds: ["secret.read", "secret.write"] },
      fingerprints: await openFingerprints(home, () => undefined),
      learn: (values) => void learned.push(...values),
      log: () => undefined,
      ...(files === undefined ? {} : { files }),
    });
  return { home, log, open, learned };
}

proves(
  "SEC-4",
  "a name in several scopes: the narrowest wins, and the operator's home is not everybody's",
  async () => {
    const { open } = await newPlace();
    const secrets = await open();
    const set = (value: string, scope: string, owner = "operator") =>
      secrets.set(given("KEY", value, scope), owner, BY);
    await set("fake-operator-home", "home");
    await set("fake-operator-workspace", "workspace:w");
    await set("fake-operator-agent", "agent:a");
    await set("fake-operator-session", "session:s1");
    await set("fake-token-home", "home", "token:1");
    await set("fake-token-agent", "agent:a", "token:1");
    const value = (place: Partial<SecretPlace>) => secrets.resolve("KEY", { ...NOWHERE, ...place }, "test");
    expect(await value({})).toBe("fake-operator-home");
    expect(await value({ workspace: "w" })).toBe("fake-operator-workspace");
    expect(await value({ workspace: "w", agent: "a" })).toBe("fake-operator-agent");
    expect(await value({ workspace: "w", agent: "a", sessionId: "s1" })).toBe("fake-operator-session");
    expect(await value({ owner: "token:1" })).toBe("fake-token-home");
    expect(await value({ owner: "token:1", workspace: "w" })).toBe("fake-operator-workspace");
    expect(await value({ owner: "token:1", workspace: "w", agent: "a" })).toBe("fake-token-agent");
    await expect(value({ owner: "token:2" })).rejects.toMatchObject({ code: "secret_not_found" });
    await expect(value({ owner: "token:2", workspace: "other" })).rejects.toMatchObject({ code: "secret_not_found" });
    expect(await value({ owner: "token:2", sessionId: "s1" })).toBe("fake-operator-session");
  },
);

proves("SEC-4", "two principals use one name: neither sees the other's, the operator sees both", async () => {
  const { open } = await newPlace();
  const secrets = await open();
  await secrets.set(given("KEY", "fake-value-of-one"), "token:1", BY);
  await secrets.set(given("KEY", "fake-value-of-two"), "token:2", BY);
  const listed = async (asker: string) => (await secrets.list({ limit: 10 }, asker)).secrets.map(({ owner }) => owner);
  expect([await listed("token:1"), await listed("token:2"), await listed("token:3")]).toEqual([
    ["token:1"],
    ["token:2"],
    [],
  ]);
  expect((await listed("operator")).toSorted()).toEqual(["token:1", "token:2"]);
  const missing = { code: "secret_not_found" };
  await expect(secrets.show({ name: "KEY" }, "token:3")).rejects.toMatchObject(missing);
  await expect(secrets.show({ name: "KEY", owner: "token:2" }, "token:1")).rejects.toMatchObject(missing);
  await expect(secrets.remove({ name: "KEY", owner: "token:2" }, "token:3", BY)).rejects.toMatchObject(missing);
  await expect(secrets.show({ name: "KEY" }, "operator")).rejects.toMatchObject({ code: "secret_ambiguous" });
  await secrets.remove({ name: "KEY", owner: "token:2" }, "operator", BY);
  expect(await secrets.show({ name: "KEY" }, "operator")).toMatchObject({ owner: "token:1" });
});

proves("SEC-4", "a session works with the secrets of whoever opened it, through sessions that it started", async () => {
  const { open, log } = await newPlace();
  const secrets = await open();
  const issued = async (capabilities: readonly string[], sandbox: "off" | "strict") => {
    const tokenId = newId();
    const token = {
      tokenId,
      secretHash: tokenId,
      label: "",
      capabilities,
      sessionId: null,
      expiresAtMs: null,
      sandbox,
    };
    await log.committer.change(AccessToken, tokenId, () => issueToken(token), { actor: "operator" });
    return `token:${tokenId}`;
  };
  const signIn = await issued(["secret.read", "secret.write", "session.read"], "off");
  const scoped = await issued(["secret.read"], "off");
  const walled = await issued(["secret.read", "secret.write"], "strict");
  const owners = await Promise.all(
    ["operator", "daemon", signIn, scoped, walled, "session:unknown"].map(secrets.owners.ofPrincipal),
  );
  expect(owners).toEqual(["operator", "operator", "operator", scoped, walled, "session:unknown"]);
  const id = await log.openSession();
  expect(await secrets.owners.placeOf(id)).toMatchObject({
    sessionId: id,
    owner: "test",
    workspace: expect.any(String),
  });
  expect(await secrets.owners.placeOf("unknown")).toBeNull();
});

proves(
  "SEC-3",
  "a rotated, a removed and a failed value are all known to the redactor, before they are stored",
  async () => {
    const { open, log, learned } = await newPlace();
    const secrets = await open();
    await secrets.set(given("KEY", "fake-value-one"), "operator", BY);
    await secrets.rotate({ name: "KEY" }, "fake-value-two", "operator", BY);
    await secrets.set(given("GONE", "fake-value-gone"), "operator", BY);
    await secrets.remove({ name: "GONE" }, "operator", BY);
    const release = log.hold(new Error("no space"));
    const failing = secrets.set(given("NEVER", "fake-value-never"), "operator", BY);
    await log.held();
    expect(learned.map(({ value }) => value)).toContain("fake-value-never");
    release();
    await expect(failing).rejects.toThrow("no space");
    const known = ["fake-value-one", "fake-value-two", "fake-value-gone"];
    expect(secrets.values().map(({ value }) => value)).toEqual(known);
    learned.length = 0;
    expect((await open()).values().map(({ value }) => value)).toEqual(known);
    expect(learned.map(({ value }) => value)).toEqual(known);
  },
);

proves(
  "SEC-3",
  "each use is an event without the value, and a rotation while it is used is seen by the next use",
  async () => {
    const { open, log } = await newPlace();
    const secrets = await open();
    const [sealed] = await secrets.set(given("KEY", "fake-value-one"), "operator", BY);
    const uses = await Promise.all([
      ...Array.from({ length: 10 }, () => secrets.resolve("KEY", { ...NOWHERE, sessionId: "s" }, "model fake")),
      secrets.rotate({ name: "KEY" }, "fake-value-two", "operator", BY).then(() => "fake-value-two"),
    ]);
    for (const value of uses) expect(["fake-value-one", "fake-value-two"]).toContain(value);
    expect(await secrets.resolve("KEY", NOWHERE, "model fake")).toBe("fake-value-two");
    const { events } = await log.store.readStream(sealed?.stream ?? "", { limit: 100 });
    expect(events.filter(({ type }) => type === "secret.used@1")).toHaveLength(11);
    expect(events.find(({ type }) => type === "secret.used@1")).toMatchObject({
      actor: "session:s",
      data: { use: "model fake", sessionId: "s" },
    });
    expect(JSON.stringify(events)).not.toContain("fake-value");
    expect(await secrets.show({ name: "KEY" }, "operator")).toMatchObject({ uses: 11, bytes: 14 });
  },
);

/** Everything after the n-th step of files and log fails, as for a process that was killed there. */
function killable(log: CommitHome) {
  let left = Number.POSITIVE_INFINITY;
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    if (left <= 0) throw new Error("killed");
    left -= 1;
    return work();
  };
  const append: Store["append"] = (...of) => step(() => log.store.append(...of));
  const store = { ...log.store, append };
  return {
    killAfter: (steps: number): void => {
      left = steps;
    },
    files: {
      write: (...of: Parameters<VaultFiles["write"]>) => step(() => vaultFiles.write(...of)),
      move: (...of: Parameters<VaultFiles["move"]>) => step(() => vaultFiles.move(...of)),
      remove: (...of: Parameters<VaultFiles["remove"]>) => step(() => vaultFiles.remove(...of)),
    },
    committer: createCommitter({
      store,
      clock: systemClock(),
      newId,
      fence: 0,
      bounds: UNBOUNDED,
      redactor: newRedactor(),
    }),
  };
}

const OPERATIONS: { readonly [name: string]: (secrets: Secrets) => Promise<unknown> } = {
  set: (secrets) => secrets.set(given("NEW", "fake-value-new"), "operator", BY),
  import: (secrets) =>
    secrets.import([given("NEW", "fake-value-new"), given("NEWER", "fake-value-newer")], "operator", BY),
  rotate: (secrets) => secrets.rotate({ name: "KEY" }, "fake-value-two", "operator", BY),
  remove: (secrets) => secrets.remove({ name: "KEY" }, "operator", BY),
  rekey: (secrets) => secrets.rekey("file", null, BY),
};

proves(
  "SEC-7",
  "killed at any step of set, import, rotate, remove and rekey: no other secret is lost, and it is all or nothing",
  async () => {
    for (const [name, operate] of Object.entries(OPERATIONS))
      for (let steps = 0, isDone = false; !isDone; steps += 1) {
        const { open, log } = await newPlace();
        const before = await open();
        await before.set(given("KEY", "fake-value-one"), "operator", BY);
        await before.set(given("OTHER", "fake-value-other"), "operator", BY);
        const ports = killable(log);
        const dying = await open(ports);
        ports.killAfter(steps);
        isDone = await operate(dying).then(
          () => true,
          () => false,
        );
        const next = await open();
        const found = async (key: string) => next.resolve(key, NOWHERE, "test").catch(({ code }) => code);
        const seen = [
          name,
          steps,
          isDone,
          await found("OTHER"),
          await found("KEY"),
          await found("NEW"),
          await found("NEWER"),
        ];
        const key =
          name === "rotate" && isDone
            ? "fake-value-two"
            : name === "remove" && isDone
              ? "secret_not_found"
              : "fake-value-one";
        const isNew = isDone && (name === "set" || name === "import");
        const news = [
          isNew ? "fake-value-new" : "secret_not_found",
          isNew && name === "import" ? "fake-value-newer" : "secret_not_found",
        ];
        expect(seen).toEqual([name, steps, isDone, "fake-value-other", key, ...news]);
        expect([name, steps, await next.lost()]).toEqual([name, steps, 0]);
        const values = next.values().map(({ value }) => value);
        expect(values.includes("fake-value-new")).toBe(isNew);
        // It can be done again.
        if (!isDone) await operate(next);
      }
  },
);

proves("SEC-6", "names without values are listed as lost, and given again by a rotation", async () => {
  const { open, home } = await newPlace();
  await (await open()).set(given("KEY", "fake-value-one"), "operator", BY);
  await rm(join(home, "keys", "vault.key"));
  const locked = await open();
  expect(locked.state()).toMatchObject({ at: "locked", why: "no_key" });
  for (const refused of [
    locked.set(given("OTHER", "fake-value-other"), "operator", BY),
    locked.rotate({ name: "KEY" }, "fake-value-two", "operator", BY),
    locked.resolve("KEY", NOWHERE, "test"),
    locked.rekey("file", null, BY),
  ])
    await expect(refused).rejects.toMatchObject({
      code: "vault_locked",
      remedy: expect.stringContaining("--key-file"),
    });
  expect((await locked.list({ limit: 9 }, "operator")).secrets).toMatchObject([{ name: "KEY", lost: false }]);
  await locked.discard(BY);
  expect((await locked.list({ limit: 9 }, "operator")).secrets).toMatchObject([{ name: "KEY", lost: true }]);
  expect(await locked.lost()).toBe(1);
  await expect(locked.resolve("KEY", NOWHERE, "test")).rejects.toMatchObject({ code: "secret_lost" });
  expect(await locked.discard(BY)).toEqual([]);
  await locked.rotate({ name: "KEY" }, "fake-value-two", "operator", BY);
  expect(await (await open()).resolve("KEY", NOWHERE, "test")).toBe("fake-value-two");
});

proves("SEC-8", "10,000 secrets are sealed, listed by page, found and used", async () => {
  const { open } = await newPlace();
  const secrets = await open();
  const all = Array.from({ length: 10_000 }, (_, n) => given(`KEY_${n}`, `fake-value-number-${n}`));
  for (let from = 0; from < all.length; from += 1000)
    await secrets.import(all.slice(from, from + 1000), "operator", BY);
  const startMs = performance.now();
  const again = await open();
  const openMs = performance.now() - startMs;
  expect(again.values()).toHaveLength(10_000);
  expect(openMs).toBeLessThan(5_000);
  const names = new Set<string>();
  let after: string | undefined;
  do {
    const page = await again.list({ limit: 1000, after }, "operator");
    for (const { name } of page.secrets) names.add(name);
    after = page.next ?? undefined;
  } while (after !== undefined);
  expect(names.size).toBe(10_000);
  expect(await again.resolve("KEY_7777", NOWHERE, "test")).toBe("fake-value-number-7777");
  await again.set(given("LAST", "fake-value-last"), "operator", BY);
  expect(await again.resolve("LAST", NOWHERE, "test")).toBe("fake-value-last");
});

proves("SEC-2", "values that would be found everywhere are refused, alone and in an import", async () => {
  const { open, home } = await newPlace();
  const secrets = await open();
  for (const value of ["session.opened@1", "secret_not_found", home, "short", "password123", "x".repeat(65_537)])
    await expect(secrets.set(given("KEY", value), "operator", BY)).rejects.toMatchObject({
      code: "secret_value_refused",
      message: expect.not.stringContaining(value),
    });
  await secrets.set({ ...given("KEY", "fake-value-one"), scope: HOME_SCOPE }, "operator", BY);
  const events = await secrets.import(
    [given("KEY", "fake-value-two"), given("MODE", "production"), given("NEW", "fake-value-new")],
    "operator",
    BY,
  );
  expect(events.map(({ data }) => data)).toMatchObject([{ name: "NEW" }]);
  expect(await secrets.resolve("KEY", NOWHERE, "test")).toBe("fake-value-one");
  const [one, two] = [await secrets.show({ name: "KEY" }, "operator"), await secrets.show({ name: "NEW" }, "operator")];
  expect(one.fingerprint).not.toBe(two.fingerprint);
  await secrets.set(given("SAME", "fake-value-one"), "operator", BY);
  expect((await secrets.show({ name: "SAME" }, "operator")).fingerprint).toBe(one.fingerprint);
});
