import { useRef } from "preact/hooks";
import type { OutputOf } from "../../src/client/index.ts";
import { nomos, toast, useAction } from "../frame/index.ts";
import { Badge, Button, Field } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { emptyField } from "./secret-value.tsx";

type Vault = OutputOf<"system.status">["vault"];

const HOLDERS = {
  file: "Its key is in a file of the home, keys/vault.key. Keep a copy elsewhere: no backup holds it.",
  keyring: "The system’s keyring keeps its key. No backup holds it.",
  passphrase: "A passphrase opens it, asked for after each start of the daemon.",
} as const;

/** Whether values can be read, and what to do when they cannot. */
export function VaultCard({ vault, onChange }: { readonly vault: Vault; readonly onChange: () => void }) {
  if (vault.state === "open")
    return (
      <section class="secrets-vault" aria-label="The vault">
        <Badge kind="good">vault is open</Badge>{" "}
        <span class="muted">
          {vault.holder === null ? "Its key is made with the first secret." : HOLDERS[vault.holder]}
        </span>
      </section>
    );
  return (
    <section class="card secrets-locked" aria-label="The vault">
      <h2>The vault is locked</h2>
      {vault.says !== null && (
        <p>
          <SafeText text={vault.says} />
        </p>
      )}
      {vault.remedy !== null && (
        <p>
          <SafeText text={vault.remedy} />
        </p>
      )}
      <p class="muted">
        Everything else works. What needs a secret fails until the vault is open, and its values are not known to the
        redactor.
      </p>
      {vault.why === "passphrase" ? <Unlock onOpen={onChange} /> : <LookAgain onOpen={onChange} />}
    </section>
  );
}

function Unlock({ onOpen }: { readonly onOpen: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const { run, isRunning } = useAction();
  const unlock = async (): Promise<void> => {
    const passphrase = field.current?.value ?? "";
    const opened = await run(() => nomos().call("secret.unlock", { passphrase }));
    emptyField(field);
    if (opened === undefined) return;
    toast("The vault is open.");
    onOpen();
  };
  return (
    <form
      class="secrets-unlock"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        void unlock();
      }}
    >
      <Field label="Passphrase">
        {(id) => <input id={id} ref={field} type="password" required autocomplete="off" spellcheck={false} />}
      </Field>
      <Button kind="primary" type="submit" disabled={isRunning}>
        Open the vault
      </Button>
    </form>
  );
}

function LookAgain({ onOpen }: { readonly onOpen: () => void }) {
  const { run, isRunning } = useAction();
  const look = async (): Promise<void> => {
    if ((await run(() => nomos().call("secret.unlock", {}))) === undefined) return;
    toast("The vault is open.");
    onOpen();
  };
  return (
    <Button disabled={isRunning} onClick={() => void look()}>
      Look for its key again
    </Button>
  );
}
