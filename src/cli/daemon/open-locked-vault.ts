import type { Client } from "../../client/index.ts";
import type { Terminal } from "../terminal.ts";

/** After a start: asks for the vault's passphrase on a terminal. Elsewhere it only says that the vault is locked. */
export async function openLockedVault(terminal: Terminal, client: Client): Promise<void> {
  const { vault } = await client.call("system.status", {});
  if (vault.state === "open") return;
  if (vault.why !== "passphrase" || !terminal.isScreen || !terminal.isKeyboard()) {
    terminal.complain(`The vault is locked. ${vault.says ?? ""} ${vault.remedy ?? ""}`);
    return;
  }
  const { askHidden } = await import("../screen/ask-hidden.ts");
  const passphrase = await askHidden(terminal, "Passphrase of the vault, or nothing to leave it locked");
  if (passphrase === "") return;
  const { secrets } = await client.call("secret.unlock", { passphrase });
  terminal.print(`The vault is open: ${secrets} secrets.`);
}
