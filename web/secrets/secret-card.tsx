import { useRef, useState } from "preact/hooks";
import { confirmed, nomos, type Secret, toast, useAction } from "../frame/index.ts";
import { Ago, Badge, Button, bytesText, Fact } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { scopeText } from "./of-secrets.ts";
import { RecentUses } from "./recent-uses.tsx";
import { emptyField, SecretValue, valueIn } from "./secret-value.tsx";

interface SecretCardProps {
  readonly secret: Secret;
  /** Other secrets with the same value. */
  readonly sameValue: readonly string[];
  readonly onChange: () => void;
}

const SAME_SHOWN_MAX = 5;

export function SecretCard({ secret, sameValue, onChange }: SecretCardProps) {
  const [isRotating, setRotating] = useState(false);
  const { run, isRunning } = useAction();
  const ref = { name: secret.name, scope: scopeText(secret), owner: secret.owner };
  const remove = async (): Promise<void> => {
    const isSure = await confirmed({
      title: `Remove the secret ${secret.name}?`,
      body: "What uses it fails from its next use on. Its value stays known to the redactor, so that it is still replaced in texts.",
      yes: "Remove it",
      danger: true,
    });
    if (!isSure || (await run(() => nomos().call("secret.remove", ref))) === undefined) return;
    toast(`Removed ${secret.name}.`);
    onChange();
  };
  return (
    <li class="card secrets-card" aria-label={`Secret ${secret.name}`}>
      <div class="secrets-card-head">
        <h2>
          <SafeText text={secret.name} oneLine />
        </h2>
        <Badge>{scopeText(secret)}</Badge>
        {secret.lost && <Badge kind="bad">value is lost</Badge>}
        <span class="secrets-actions">
          <Button kind="quiet" disabled={isRunning} onClick={() => setRotating(!isRotating)}>
            {secret.lost ? "Give its value again" : "Rotate"}
          </Button>
          <Button kind="quiet" disabled={isRunning} onClick={() => void remove()}>
            Remove
          </Button>
        </span>
      </div>
      {isRotating && (
        <Rotate
          of={ref}
          onDone={() => {
            setRotating(false);
            onChange();
          }}
        />
      )}
      <Facts secret={secret} />
      {sameValue.length > 0 && (
        <p class="secrets-same">
          The same value as <SafeText text={sameValue.slice(0, SAME_SHOWN_MAX).join(", ")} oneLine />
          {sameValue.length > SAME_SHOWN_MAX && ` and ${sameValue.length - SAME_SHOWN_MAX} more`}.
        </p>
      )}
      {secret.uses > 0 && <RecentUses id={secret.id} />}
    </li>
  );
}

function Facts({ secret }: { readonly secret: Secret }) {
  const { owner, bytes, fingerprint, createdAt, changedAt, lastUsedAt, uses, bind } = secret;
  return (
    <dl class="secrets-facts">
      <Fact name="Fingerprint">
        <code>{fingerprint}</code>
      </Fact>
      <Fact name="Size">{bytesText(bytes)}</Fact>
      <Fact name="Owner">
        <SafeText text={owner} oneLine />
      </Fact>
      <Fact name="Created">
        <Ago at={createdAt} /> ago
      </Fact>
      <Fact name="Changed">{changedAt === createdAt ? "never" : <Since at={changedAt} />}</Fact>
      <Fact name="Last use">
        {lastUsedAt === undefined ? "never" : <Since at={lastUsedAt} />}
        {uses > 0 && ` (${uses} in all)`}
      </Fact>
      <Fact name="May be sent to">
        {bind.length === 0 ? "no host named" : <SafeText text={bind.map(bindingText).join(", ")} oneLine />}
      </Fact>
    </dl>
  );
}

function Since({ at }: { readonly at: string }) {
  return (
    <>
      <Ago at={at} /> ago
    </>
  );
}

/** `api.example.org (Authorization: Bearer {secret})`: the value itself is not known here. */
function bindingText({ host, header, format, methods, paths, env }: Secret["bind"][number]): string {
  const more = [
    header === undefined ? "" : `${header}: ${format ?? "{secret}"}`,
    methods?.join(" ") ?? "",
    paths?.join(" ") ?? "",
    env === undefined ? "" : `$${env}`,
  ].filter((text) => text !== "");
  return more.length === 0 ? host : `${host} (${more.join("; ")})`;
}

interface RotateProps {
  readonly of: { readonly name: string; readonly scope: string; readonly owner: string };
  readonly onDone: () => void;
}

function Rotate({ of, onDone }: RotateProps) {
  const value = useRef<HTMLTextAreaElement>(null);
  const { run, isRunning } = useAction();
  const rotate = async (): Promise<void> => {
    const given = { ...of, value: valueIn(value) };
    const rotated = await run(() => nomos().call("secret.rotate", given));
    if (rotated === undefined) return;
    emptyField(value);
    toast(`Rotated ${rotated.name}: ${rotated.bytes} bytes, fingerprint ${rotated.fingerprint}.`);
    onDone();
  };
  return (
    <form
      class="secrets-rotate"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        void rotate();
      }}
    >
      <SecretValue label={`New value of ${of.name}`} field={value} />
      <Button kind="primary" type="submit" disabled={isRunning}>
        Replace the value
      </Button>
    </form>
  );
}
