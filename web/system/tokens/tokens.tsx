import { useState } from "preact/hooks";
import type { OutputOf } from "../../../src/client/index.ts";
import { confirmed, ErrorCard, nomos, useAction, useCall } from "../../frame/index.ts";
import { Badge, Button, Empty } from "../../parts/index.ts";
import { SafeText } from "../../text/index.ts";
import { AskPermission } from "./ask-permission.tsx";
import { IssueToken } from "./issue-token.tsx";
import { isDevice } from "./token-kinds.ts";

type Token = OutputOf<"token.list">["tokens"][number];

export function Tokens() {
  const { value, error, again } = useCall("token.list", {}, { on: /^token\./ });
  const [withDevices, setWithDevices] = useState(false);
  const { run, isRunning } = useAction();
  const revoke = async ({ tokenId, label }: Token): Promise<void> => {
    const isSure = await confirmed({
      title: `Revoke the token ${label}?`,
      body: "It stops working at once, for good, and so does every token that was issued with it.",
      yes: "Revoke it",
      danger: true,
    });
    if (isSure) await run(() => nomos().call("token.revoke", { tokenId })).then(again);
  };
  const shown = (value?.tokens ?? []).filter((token) => withDevices || !isDevice(token));
  return (
    <>
      <div class="page-head">
        <h1>Tokens</h1>
        <label class="system-check">
          <input
            type="checkbox"
            checked={withDevices}
            onChange={({ currentTarget }) => setWithDevices(currentTarget.checked)}
          />
          Also browsers and phones
        </label>
      </div>
      <p class="muted">Who may call this daemon besides you, and what. Secrets are never shown again.</p>
      {error !== undefined && <ErrorCard error={error} again={again} />}
      {value !== undefined && shown.length === 0 && (
        <Empty title="No token" command="nomos token issue session.list session.read">
          A script or another program gets a token with only the rights it needs. Issue one below.
        </Empty>
      )}
      <ul class="system-list" aria-label="Tokens">
        {shown.map((token) => (
          <li key={token.tokenId}>
            <div class="system-list-text">
              <strong>
                <SafeText text={token.label === "" ? "without a name" : token.label} oneLine />
              </strong>{" "}
              <Badge>sandbox {token.sandbox}</Badge> <span class="muted mono">{token.tokenId.slice(-9)}</span>
              <div class="muted">{aboutToken(token)}</div>
            </div>
            <Button kind="danger" disabled={isRunning} onClick={() => void revoke(token)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      <div class="system-cards">
        <IssueToken onIssued={again} />
        <AskPermission />
      </div>
    </>
  );
}

function aboutToken({ capabilities, sessionId, expiresAtMs }: Token): string {
  const what = capabilities.includes("*") ? "everything" : capabilities.join(", ");
  const where = sessionId === null ? "" : `, only session ${sessionId.slice(-9)}`;
  return `${what}${where}, ${expiresAtMs === null ? "until revoked" : `until ${new Date(expiresAtMs).toLocaleString()}`}`;
}
