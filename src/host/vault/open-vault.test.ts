import { chmod, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { newAgeKey, sealFor, sealWithPassphrase, unsealWithPassphrase } from "./age.ts";
import { openFingerprints } from "./fingerprint-key.ts";
import type { Keyring } from "./keyring.ts";
import { openVault } from "./open-vault.ts";
import { type VaultFiles, vaultFiles, vaultPaths } from "./vault-files.ts";

const PASSPHRASE = "fake passphrase for a test";
/** So little work that a test is fast. */
const QUICK = { passphraseLogN: 8 };

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "nomos-vault-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

async function filled(home: string) {
  const vault = await openVault(home, QUICK);
  await vault.put(
    new Map([
      ["a", "fake-value-a"],
      ["b", "fake-value-b\nsecond line \u{1f511}"],
    ]),
  );
  return vault;
}

const held = (vault: Awaited<ReturnType<typeof openVault>>) => vault.ids().map((id) => [id, vault.value(id)] as const);
const FILLED = [
  ["a", "fake-value-a"],
  ["b", "fake-value-b\nsecond line \u{1f511}"],
];

proves("SEC-1", "a vault is opened again: the same values, and no byte of them on the disk", async () => {
  const home = await newHome();
  const empty = await openVault(home);
  expect([empty.state(), await readdir(home)]).toEqual([{ at: "open", holder: null }, []]);
  await filled(home);
  const again = await openVault(home);
  expect([again.state(), held(again)]).toEqual([{ at: "open", holder: "file" }, FILLED]);
  const { sealed, key } = vaultPaths(home);
  for (const path of [sealed, key]) expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await readFile(sealed)).includes("fake-value")).toBe(false);
  await again.drop(["a", "unknown"]);
  expect(held(await openVault(home))).toEqual(FILLED.slice(1));
});

proves("SEC-5", "a key that others can read is made private at the next start", async () => {
  const home = await newHome();
  await filled(home);
  await chmod(vaultPaths(home).key, 0o644);
  await openVault(home);
  expect((await stat(vaultPaths(home).key)).mode & 0o777).toBe(0o600);
});

proves(
  "SEC-6",
  "a vault without its key, with a wrong one, damaged, cut short or newer: locked, with the reason",
  async () => {
    const { sealed, key } = vaultPaths(await newHome());
    const home = join(sealed, "../..");
    await filled(home);
    const good = { sealed: await readFile(sealed), key: await readFile(key, "utf8") };
    const why = async (change: () => Promise<unknown>) => {
      await writeFile(sealed, good.sealed);
      await writeFile(key, good.key);
      await change();
      const vault = await openVault(home);
      const state = vault.state();
      expect(vault.ids()).toHaveLength(state.at === "locked" ? 0 : FILLED.length);
      return state.at === "locked" ? state.why : state.at;
    };
    const newer = JSON.stringify({ format: "nomos-vault", version: 2, values: {} });
    const own = good.key.split("\n")[1] ?? "";
    expect(await why(() => rm(key))).toBe("no_key");
    expect(await why(async () => writeFile(key, `${await newAgeKey()}\n`))).toBe("wrong_key");
    expect(await why(() => writeFile(key, "not a key"))).toBe("wrong_key");
    for (const bytes of [0, 10, 100, good.sealed.length - 1])
      expect([bytes, await why(() => truncate(sealed, bytes))]).toEqual([bytes, "damaged"]);
    expect(await why(() => writeFile(sealed, good.sealed.toString("latin1").replace("/v1\n", "/v2\n"), "latin1"))).toBe(
      "newer",
    );
    expect(await why(async () => writeFile(sealed, await sealFor(own, Buffer.from(newer))))).toBe("newer");
    expect(await why(async () => writeFile(sealed, await sealFor(own, Buffer.from('{"values":{}}'))))).toBe("damaged");
    expect(await why(async () => undefined)).toBe("open");
  },
);

proves("SEC-6", "a copy of the key opens a locked vault for good; another key opens nothing", async () => {
  const home = await newHome();
  await filled(home);
  const { key } = vaultPaths(home);
  const copy = await readFile(key, "utf8");
  await rm(key);
  const vault = await openVault(home);
  expect(await vault.unlock({ key: await newAgeKey() })).toBe(false);
  expect(await vault.unlock({ key: "AGE-SECRET-KEY-1NONSENSE" })).toBe(false);
  expect([await vault.unlock({ key: copy }), held(vault)]).toEqual([true, FILLED]);
  expect(held(await openVault(home))).toEqual(FILLED);
});

proves(
  "SEC-6",
  "values are given up: the sealed file and its key are moved aside, and the vault works anew",
  async () => {
    const home = await newHome();
    await filled(home);
    const { key, sealed } = vaultPaths(home);
    await writeFile(key, `${await newAgeKey()}\n`);
    const vault = await openVault(home);
    const aside = (await vault.discard()) ?? expect.fail("it was there");
    expect((await stat(aside)).size).toBeGreaterThan(0);
    expect(aside.startsWith(sealed)).toBe(true);
    await vault.put(new Map([["c", "fake-value-c"]]));
    expect(held(await openVault(home))).toEqual([["c", "fake-value-c"]]);
    expect(await readdir(join(home, "keys"))).toHaveLength(2);
  },
);

proves("SEC-5", "a passphrase keeps the key: locked at each start, a wrong one opens nothing", async () => {
  const home = await newHome();
  await (await filled(home)).rekey("passphrase", PASSPHRASE);
  expect(await readdir(join(home, "keys"))).toEqual(["vault.key.age"]);
  const vault = await openVault(home);
  expect(vault.state()).toMatchObject({ at: "locked", why: "passphrase" });
  expect(await vault.unlock({ passphrase: `${PASSPHRASE}x` })).toBe(false);
  expect([await vault.unlock({ passphrase: PASSPHRASE }), held(vault)]).toEqual([true, FILLED]);
  await vault.put(new Map([["c", "fake-value-c"]]));
  await vault.rekey("file", null);
  expect(held(await openVault(home))).toHaveLength(3);
});

proves("SEC-5", "a key behind a passphrase is what any age program writes and opens", async () => {
  const { Decrypter, Encrypter } = await import("age-encryption");
  const ours = new Decrypter();
  ours.addPassphrase(PASSPHRASE);
  expect(await ours.decrypt(await sealWithPassphrase(PASSPHRASE, "fake text", 8), "text")).toBe("fake text");
  const theirs = new Encrypter();
  theirs.setPassphrase(PASSPHRASE);
  theirs.setScryptWorkFactor(8);
  const sealed = await theirs.encrypt("fake text");
  expect(Buffer.from(await unsealWithPassphrase(PASSPHRASE, sealed)).toString()).toBe("fake text");
  expect(await unsealWithPassphrase("another passphrase", sealed)).toBe("no_match");
  const costly = Buffer.from(sealed).toString("latin1").replace(" 8\n", " 30\n");
  expect(await unsealWithPassphrase(PASSPHRASE, Buffer.from(costly, "latin1"))).toBe("no_match");
});

proves("SEC-5", "the keyring keeps the key; one that cannot be asked locks the vault until it can", async () => {
  const home = await newHome();
  const kept = new Map<string, string>();
  let isReachable = true;
  const reached = async (): Promise<Map<string, string>> => {
    if (!isReachable) throw new Error("no D-Bus");
    return kept;
  };
  const keyring: Keyring = {
    get: async (account) => (await reached()).get(account) ?? null,
    set: async (account, text) => void (await reached()).set(account, text),
    remove: async (account) => void (await reached()).delete(account),
  };
  const ports = { keyring: async () => keyring };
  const first = await openVault(home, ports);
  await first.put(new Map([["a", "fake-value-a"]]));
  await first.rekey("keyring", null);
  expect([kept.size, await readdir(join(home, "keys"))]).toEqual([1, ["vault.keyring"]]);
  expect((await openVault(home, ports)).value("a")).toBe("fake-value-a");
  isReachable = false;
  const locked = await openVault(home, ports);
  expect(locked.state()).toMatchObject({ at: "locked", why: "keyring", says: "no D-Bus" });
  isReachable = true;
  expect([await locked.unlock({ again: true }), locked.value("a")]).toEqual([true, "fake-value-a"]);
  const without = await openVault(home, { keyring: async () => null });
  expect(without.state()).toMatchObject({ at: "locked", why: "keyring" });
});

proves("SEC-5", "there is no keyring on this machine: keeping the key there fails, and nothing is lost", async () => {
  const home = await newHome();
  const vault = await filled(home);
  const before = process.env["DBUS_SESSION_BUS_ADDRESS"];
  process.env["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent/bus";
  onTestFinished(() => {
    if (before === undefined) delete process.env["DBUS_SESSION_BUS_ADDRESS"];
    else process.env["DBUS_SESSION_BUS_ADDRESS"] = before;
  });
  await expect(vault.rekey("keyring", null)).rejects.toThrow();
  expect([vault.state(), held(await openVault(home))]).toEqual([{ at: "open", holder: "file" }, FILLED]);
});

proves(
  "SEC-7",
  "power fails at any step of a rekey, to any holder: the vault opens with one of the two keys",
  async () => {
    for (const holder of ["file", "passphrase"] as const)
      for (let steps = 0, isWhole = false; !isWhole; steps += 1) {
        const home = await newHome();
        await filled(home);
        let left = Number.POSITIVE_INFINITY;
        const step = async (work: () => Promise<void>): Promise<void> => {
          if (left === 0) throw new Error("power cut");
          left -= 1;
          await work();
        };
        const files: VaultFiles = {
          write: (...given) => step(() => vaultFiles.write(...given)),
          move: (...given) => step(() => vaultFiles.move(...given)),
          remove: (...given) => step(() => vaultFiles.remove(...given)),
        };
        const vault = await openVault(home, { files, ...QUICK });
        left = steps;
        isWhole = await vault.rekey(holder, holder === "passphrase" ? PASSPHRASE : null).then(
          () => true,
          () => false,
        );
        const next = await openVault(home);
        if (next.state().at === "locked") expect(await next.unlock({ passphrase: PASSPHRASE })).toBe(true);
        expect([holder, steps, held(next)]).toEqual([holder, steps, FILLED]);
        expect(held(await openVault(home)).length === 2 || holder === "passphrase").toBe(true);
      }
  },
);

proves("SEC-1", "many values at once share writes; a write that fails leaves the values as they were", async () => {
  const home = await newHome();
  let writes = 0;
  let isFull = false;
  const files: VaultFiles = {
    ...vaultFiles,
    write: async (...given) => {
      writes += 1;
      if (isFull) throw new Error("no space");
      await vaultFiles.write(...given);
    },
  };
  const vault = await openVault(home, { files });
  await Promise.all(Array.from({ length: 50 }, (_, n) => vault.put(new Map([[`v${n}`, `fake-value-${n}`]]))));
  expect(writes).toBeLessThan(6);
  expect(held(await openVault(home))).toHaveLength(50);
  isFull = true;
  const bytes = vault.bytes();
  await expect(vault.put(new Map([["late", "fake-value-late"]]))).rejects.toThrow("no space");
  expect([vault.value("late"), vault.bytes(), vault.ids().length]).toEqual([undefined, bytes, 50]);
});

proves("SEC-1", "a fingerprint is the same at each start, differs in another home, and is 12 hex digits", async () => {
  const [here, there] = [await newHome(), await newHome()];
  const first = (await openFingerprints(here, () => undefined)).of("fake-value-a");
  expect(first).toMatch(/^[0-9a-f]{12}$/);
  expect((await openFingerprints(here, () => undefined)).of("fake-value-a")).toBe(first);
  expect((await openFingerprints(there, () => undefined)).of("fake-value-a")).not.toBe(first);
  expect((await stat(join(here, "keys", "fingerprint"))).mode & 0o777).toBe(0o600);
  await writeFile(join(here, "keys", "fingerprint"), "cut");
  expect((await openFingerprints(here, () => undefined)).of("fake-value-a")).not.toBe(first);
});
