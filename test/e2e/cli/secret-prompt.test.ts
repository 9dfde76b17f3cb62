import { randomBytes } from "node:crypto";
import { expect, vi } from "vitest";
import { runCli, startDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { openPty } from "../../support/pty.ts";
import { expectOk, newFolder, PATIENCE } from "../support/talk.ts";

vi.setConfig(PATIENCE);

proves("SEC-10", "a value and a passphrase are asked for on a terminal, and nothing of them is shown", async () => {
  const daemon = await startDaemon();
  const { home } = daemon;
  const cwd = await newFolder();
  const [value, passphrase] = [
    `fake-${randomBytes(8).toString("hex")}`,
    `fake phrase ${randomBytes(8).toString("hex")}`,
  ];
  const set = openPty({ home, cwd, args: ["secret", "set", "ASKED"] });
  await set.until(/Value of ASKED \(not shown/);
  set.type(`${value}x`);
  set.press("backspace");
  set.paste("\nand a second line");
  set.press("enter");
  expect(await set.exited).toBe(0);
  expect(set.raw()).toContain("Sealed ASKED");
  expect(set.raw()).not.toContain(value);
  const { bytes } = expectOk(await daemon.call<{ bytes: number }>("GET", "/api/secrets/ASKED"));
  expect(bytes).toBe(`${value}\nand a second line`.length);

  const rekey = openPty({ home, cwd, args: ["secret", "rekey", "--to", "passphrase"] });
  await rekey.until(/New passphrase/);
  rekey.type(passphrase);
  rekey.press("enter");
  await rekey.until(/The same again/);
  rekey.type(`${passphrase} with a slip`);
  rekey.press("enter");
  expect(await rekey.exited).toBe(2);
  expect(rekey.raw()).toContain("Nothing was changed");

  const stopped = openPty({ home, cwd, args: ["secret", "rotate", "ASKED"] });
  await stopped.until(/Value of ASKED/);
  stopped.type(value);
  stopped.press("ctrlC");
  expect(await stopped.exited).toBe(2);
  for (const shown of [rekey.raw(), stopped.raw()]) {
    expect(shown).not.toContain(passphrase);
    expect(shown).not.toContain(value);
  }
});

proves(
  "SEC-5",
  "a daemon is started on a terminal: it asks for the passphrase, and a pipe is told that it is locked",
  async () => {
    const daemon = await startDaemon();
    const { home } = daemon;
    const passphrase = `fake phrase ${randomBytes(8).toString("hex")}`;
    expectOk(await daemon.call("POST", "/api/secrets", { name: "KEPT", value: randomBytes(12).toString("hex") }), 201);
    expectOk(await daemon.call("POST", "/api/vault/rekey", { to: "passphrase", passphrase }));
    const piped = await runCli(["restart"], { home });
    expect([piped.exitCode, piped.stderr]).toEqual([0, expect.stringContaining("nomos secret unlock")]);
    const started = openPty({ home, cwd: await newFolder(), args: ["restart"] });
    await started.until(/Passphrase of the vault/);
    started.type(passphrase);
    started.press("enter");
    expect(await started.exited).toBe(0);
    expect(started.raw()).toContain("The vault is open: 1 secret");
    expect(started.raw()).not.toContain(passphrase);
    expect((await runCli(["down"], { home })).exitCode).toBe(0);
  },
);
