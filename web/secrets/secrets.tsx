import { useState } from "preact/hooks";
import { ErrorCard, navigate, type PageProps, useCall } from "../frame/index.ts";
import { Button, Empty } from "../parts/index.ts";
import { keyOf, matching, namesByFingerprint } from "./of-secrets.ts";
import { SecretCard } from "./secret-card.tsx";
import { SetSecret } from "./set-secret.tsx";
import { useSecrets } from "./use-secrets.ts";
import { Uses } from "./uses.tsx";
import { VaultCard } from "./vault-card.tsx";
import "./page.css";

const SHOWN_STEP = 100;
/** Fewer are seen at a glance. */
const FILTER_FROM = 8;

/** Names, scopes and uses of the secrets in the vault. A value goes in here and never comes out. */
export function View({ query }: PageProps) {
  const status = useCall("system.status", {}, { on: /^(?:vault|secret)\./ });
  const { secrets, error, again } = useSecrets();
  const [words, setWords] = useState("");
  const [shownMax, setShownMax] = useState(SHOWN_STEP);
  const fingerprint = query.get("fingerprint");
  if (secrets === null)
    return error === null ? (
      <p class="muted loading">Loading …</p>
    ) : (
      <div class="page">
        <ErrorCard error={error} again={again} />
      </div>
    );
  const vault = status.value?.vault;
  const found = matching(secrets, words, fingerprint);
  const names = namesByFingerprint(secrets);
  return (
    <div class="page secrets">
      <header class="page-head">
        <h1>Secrets</h1>
        {secrets.length >= FILTER_FROM && (
          <input
            type="search"
            data-search
            class="secrets-filter"
            aria-label="Filter the secrets"
            placeholder="Filter (/)"
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
        )}
      </header>
      <p class="muted secrets-why">
        A value is sealed in the vault, outside of the log, and no page or call gives it back. Wherever it turns up in
        what is recorded, a marker with its fingerprint stands instead.
      </p>
      {vault !== undefined && <VaultCard vault={vault} onChange={() => [status.again(), again()]} />}
      {fingerprint !== null && <OneFingerprint fingerprint={fingerprint} />}
      {secrets.length === 0 && (
        <Empty title="No secret yet" command="nomos secret set NAME">
          Keep a key here instead of in a file or a prompt. The command asks for the value and does not show it.
        </Empty>
      )}
      {secrets.length > 0 && found.length === 0 && <p class="muted">No secret matches.</p>}
      <ul class="secrets-list" aria-label="Secrets">
        {found.slice(0, shownMax).map((secret) => (
          <SecretCard
            key={keyOf(secret)}
            secret={secret}
            sameValue={(names.get(secret.fingerprint) ?? []).filter((key) => key !== keyOf(secret))}
            onChange={again}
          />
        ))}
      </ul>
      {found.length > shownMax && (
        <Button kind="quiet" icon="down" onClick={() => setShownMax(shownMax + SHOWN_STEP)}>
          Show more of {found.length} secrets
        </Button>
      )}
      <SetSecret isOpen={secrets.length === 0} isLocked={vault?.state === "locked"} onSet={again} />
      {secrets.length > 0 && <Uses />}
    </div>
  );
}

const FINGERPRINT_CHARS = 12;

/** The page as a marker leads to it. */
function OneFingerprint({ fingerprint }: { readonly fingerprint: string }) {
  return (
    <p class="secrets-one">
      Only values with the fingerprint <code>{fingerprint.slice(0, FINGERPRINT_CHARS)}</code>.{" "}
      <Button kind="quiet" onClick={() => navigate("/ui/secrets", { replace: true })}>
        Show all
      </Button>
    </p>
  );
}
