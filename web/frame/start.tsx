import { render } from "preact";
import { ClientError } from "../../src/client/index.ts";
import { goLive } from "../live/index.ts";
import { nomos, pageHalf, signInWith } from "./client.ts";
import { startKeys } from "./keys.ts";
import { startMarkers } from "./markers.ts";
import type { Page } from "./page.ts";
import { startRouting } from "./route.tsx";
import { Shell } from "./shell.tsx";
import { SignInPage, takeLink } from "./sign-in-page.tsx";
import { startTheme } from "./theme.ts";
import { toast } from "./toasts.tsx";

export async function startFrame(root: HTMLElement, pages: readonly Page[]): Promise<void> {
  startTheme();
  startKeys();
  startRouting();
  const refused = await enter();
  // What the document says while nothing has loaded.
  root.replaceChildren();
  if (refused !== null) return render(<SignInPage reason={refused} />, root);
  goLive(pageHalf() ?? "");
  startMarkers();
  render(<Shell pages={pages} />, root);
}

/** Null when this browser is signed in, or could be. */
async function enter(): Promise<unknown> {
  const link = takeLink();
  if (link === null) return pageHalf() === null ? new ClientError("unauthorized") : null;
  try {
    if (await isIn()) return null;
    const isKept = await signInWith(link);
    if (!isKept) toast("This browser keeps nothing: the sign-in ends when the page is closed.");
    return null;
  } catch (thrown) {
    // Somebody who is signed in and opens an old link stays in.
    return pageHalf() === null ? thrown : null;
  }
}

/** A second sign-in of this browser would take the cookie from under its other tabs, so a valid one is kept. */
async function isIn(): Promise<boolean> {
  if (pageHalf() === null) return false;
  return nomos()
    .call("system.status", {})
    .then(
      () => true,
      (thrown) => !(thrown instanceof ClientError && thrown.status === 401),
    );
}
