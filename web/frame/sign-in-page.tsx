import { useState } from "preact/hooks";
import { goLive } from "../live/index.ts";
import { Button, Copy, Icon } from "../parts/index.ts";
import { pageHalf, signInWith } from "./client.ts";
import { ErrorCard } from "./error-card.tsx";

const LINK = /#link=([\w-]+)/;

/** The secret of a one-time link, taken out of the address so that it stays in no history. */
export function takeLink(): string | null {
  const [, link] = LINK.exec(location.hash) ?? [];
  if (link === undefined) return null;
  history.replaceState(null, "", location.pathname + location.search);
  return link;
}

export function SignInPage({ reason }: { readonly reason?: unknown }) {
  const [text, setText] = useState("");
  const [error, setError] = useState<unknown>(reason ?? null);
  const enter = async (): Promise<void> => {
    const [, link = text.trim()] = LINK.exec(text) ?? [];
    try {
      await signInWith(link);
      goLive(pageHalf() ?? "");
      if (reason !== undefined) location.reload();
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <main class="sign-in">
      <Icon name="nomos" />
      <h1>This browser is not signed in</h1>
      <p>In a terminal on the machine that runs Nomos:</p>
      <Copy text="nomos open" />
      <p class="muted">It prints a link that works once, for ten minutes. Open it here, or paste it:</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void enter();
        }}
      >
        <input
          aria-label="One-time link"
          placeholder="http://127.0.0.1:4200/#link=…"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button kind="primary" type="submit">
          Sign in
        </Button>
      </form>
      {error !== null && <ErrorCard error={error} />}
    </main>
  );
}
