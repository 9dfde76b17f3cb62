import { useState } from "preact/hooks";
import { ClientError, type OutputOf } from "../../../src/client/index.ts";
import {
  askToTell,
  confirmed,
  ErrorCard,
  keep,
  kept,
  Link,
  nomos,
  signOut,
  toast,
  useAction,
  useCall,
} from "../../frame/index.ts";
import { Button, Copy, Empty, Field } from "../../parts/index.ts";
import { SafeText } from "../../text/index.ts";
import { Card } from "../facts.tsx";
import { QrCode } from "./qr-code.tsx";
import { isDevice } from "./token-kinds.ts";

export function Devices() {
  const { value, error, again } = useCall("token.list", {}, { on: /^token\./ });
  const { run, isRunning } = useAction();
  const revoke = async (tokenId: string, label: string): Promise<void> => {
    const isSure = await confirmed({
      title: `Sign ${label} out?`,
      body: "Its sign-in is revoked for good, and every token that was issued with it. If it is this browser, this page signs out too.",
      yes: "Sign it out",
      danger: true,
    });
    if (isSure) await run(() => nomos().call("token.revoke", { tokenId })).then(again);
  };
  const devices = (value?.tokens ?? []).filter(isDevice);
  return (
    <>
      <h1>Browsers and phones</h1>
      <div class="system-cards">
        <AddPhone />
        <Notices />
        <ThisBrowser />
      </div>
      <h2>Signed in</h2>
      {error !== undefined && <ErrorCard error={error} again={again} />}
      {value !== undefined && devices.length === 0 && (
        <Empty title="Nobody is signed in by a link" command="nomos open">
          Each browser or phone that a link signed in is listed here and can be signed out.
        </Empty>
      )}
      <ul class="system-list" aria-label="Signed in">
        {devices.map(({ tokenId, label, expiresAtMs, capabilities }) => (
          <li key={tokenId}>
            <div class="system-list-text">
              <strong>
                <SafeText text={label} oneLine />
              </strong>{" "}
              <span class="muted mono">{tokenId.slice(-9)}</span>
              <div class="muted">
                {capabilities.includes("*") ? "may do everything" : `may ${capabilities.join(", ")}`}
                {expiresAtMs !== null && `, until ${new Date(expiresAtMs).toLocaleDateString()}`}
              </div>
            </div>
            <Button kind="danger" disabled={isRunning} onClick={() => void revoke(tokenId, label)}>
              Sign out
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

type Opened = OutputOf<"dashboard.open">;

function AddPhone() {
  const [label, setLabel] = useState("");
  const [opened, setOpened] = useState<Opened | null>(null);
  const [error, setError] = useState<unknown>(undefined);
  const add = async (): Promise<void> => {
    setError(undefined);
    try {
      const name = label.trim();
      setOpened(await nomos().call("dashboard.open", { for: "phone", ...(name === "" ? {} : { label: name }) }));
    } catch (thrown) {
      setError(thrown);
    }
  };
  const isMissing = error instanceof ClientError && error.code === "public_url_missing";
  return (
    <Card
      name="Add a phone"
      about="It may watch, answer, prompt and interrupt, and nothing else. Its sign-in ends with this browser's; `nomos open --phone` gives one that does not."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <Field label="Its name">
          {(id) => (
            <input
              id={id}
              value={label}
              placeholder="phone"
              onInput={({ currentTarget }) => setLabel(currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit" icon="phone">
          Show a code
        </Button>
      </form>
      {isMissing && <NoPublicUrl />}
      {error !== undefined && !isMissing && <ErrorCard error={error} />}
      {opened !== null && (
        <div role="status">
          <QrCode text={opened.url} label="QR code with the link for the phone" />
          <p>
            Scan it with the phone. It works once, for <Until at={opened.expiresAt} />.
          </p>
          <Copy text={opened.url} label="the link as text" />
        </div>
      )}
    </Card>
  );
}

function Until({ at }: { readonly at: string }) {
  return <time dateTime={at}>{Math.max(0, Math.round((Date.parse(at) - Date.now()) / 60_000))} minutes</time>;
}

function NoPublicUrl() {
  return (
    <div class="system-hint" role="alert">
      <p>
        <strong>A phone cannot reach 127.0.0.1.</strong> Nomos opens nothing but loopback by itself.
      </p>
      <ol class="system-steps">
        <li>Put a reverse proxy with TLS in front of the daemon, such as Caddy or nginx.</li>
        <li>
          Name its address as <code>publicUrl</code> in the <Link to="/ui/system/settings?key=publicUrl">settings</Link>
          .
        </li>
        <li>Come back and show a code.</li>
      </ol>
      <Copy text="nomos doc read guide/dashboard.md" />
    </div>
  );
}

function Notices() {
  const isThere = typeof Notification !== "undefined";
  const [isOn, setOn] = useState(isThere && Notification.permission === "granted" && kept("notices") !== "off");
  const turn = async (to: boolean): Promise<void> => {
    if (!to) {
      keep("notices", "off");
      setOn(false);
      return;
    }
    keep("notices", null);
    const isAllowed = await askToTell();
    setOn(isAllowed);
    if (!isAllowed) toast("The browser does not allow it. Its settings for this site decide.");
  };
  return (
    <Card name="Notifications" about="This browser tells you when an agent needs you and the page is not in sight.">
      <label class="system-check">
        <input
          type="checkbox"
          checked={isOn}
          disabled={!isThere}
          onChange={({ currentTarget }) => void turn(currentTarget.checked)}
        />
        Tell me
      </label>
      {!isThere && <p class="muted">This browser has no notifications.</p>}
    </Card>
  );
}

function ThisBrowser() {
  const { run, isRunning } = useAction();
  const leave = async (): Promise<void> => {
    const isSure = await confirmed({
      title: "Sign this browser out?",
      body: "To come back you need a new link: `nomos open`.",
      yes: "Sign out",
    });
    if (!isSure) return;
    await run(async () => {
      await signOut();
      location.assign("/");
    });
  };
  return (
    <Card name="This browser" about="Signing out revokes its token; other browsers stay in.">
      <Button disabled={isRunning} onClick={() => void leave()}>
        Sign out here
      </Button>
    </Card>
  );
}
