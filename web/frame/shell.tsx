import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useErrorBoundary, useState } from "preact/hooks";
import { useConnection, useQuestions } from "../live/index.ts";
import { Button, Icon, IconButton } from "../parts/index.ts";
import { ConfirmDialog } from "./confirm.tsx";
import { ErrorCard } from "./error-card.tsx";
import { KeyHelp, openKeyHelp } from "./key-help.tsx";
import { useKeys } from "./keys.ts";
import { useNotices } from "./notices.ts";
import type { Page, PageProps } from "./page.ts";
import { openPalette, Palette, usePaletteEntries } from "./palette.tsx";
import { Link, navigate, pageAt, usePlace } from "./route.tsx";
import { SignInPage } from "./sign-in-page.tsx";
import { nextTheme, useTheme } from "./theme.ts";
import { Toasts } from "./toasts.tsx";

const START = "/ui/now";

/** The frame around every page: menu, connection, palette, keys, messages. */
export function Shell({ pages }: { readonly pages: readonly Page[] }) {
  const place = usePlace();
  const isOut = useConnection() === "signed-out";
  useFrameKeys(pages);
  useNotices();
  useEffect(() => {
    if (place.path === "/" || place.path === "/ui") navigate(START, { replace: true });
  }, [place.path]);
  if (isOut) return <SignInPage />;
  const found = pageAt(pages, place);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Menu pages={pages} at={found?.page ?? null} />
      <div class="content">
        <ConnectionBar />
        <main id="main" tabIndex={-1}>
          {found === null ? <NotFound /> : <LoadedPage key={found.page.path} page={found.page} props={found.props} />}
        </main>
      </div>
      <Palette />
      <KeyHelp />
      <ConfirmDialog />
      <Toasts />
    </div>
  );
}

function useFrameKeys(pages: readonly Page[]): void {
  const inMenu = pages.flatMap(({ menu, name, path }) => (menu === undefined ? [] : [{ key: menu.key, name, path }]));
  const going = inMenu.map(({ key, name, path }) => [`g ${key}`, { does: `Go to ${name}`, run: () => navigate(path) }]);
  useKeys({
    ...Object.fromEntries(going),
    "?": { does: "List the keys", run: openKeyHelp },
    "/": { does: "Search", run: () => document.querySelector<HTMLElement>("[data-search]")?.focus() },
    t: { does: "Light, dark or as the system", run: nextTheme },
    ":": { does: "Go to or do", run: openPalette },
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.key === "k" && (event.metaKey || event.ctrlKey))) return;
      event.preventDefault();
      openPalette();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  usePaletteEntries([
    ...inMenu.map(({ name, path, key }) => ({ name, hint: `g ${key}`, run: () => navigate(path) })),
    { name: "Switch between light and dark", hint: "t", run: nextTheme },
  ]);
}

function Menu({ pages, at }: { readonly pages: readonly Page[]; readonly at: Page | null }) {
  // On a phone the menu is wider than the screen.
  useEffect(() => {
    document.querySelector(".menu [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [at]);
  const theme = useTheme();
  const waiting = useQuestions().length;
  return (
    <nav class="menu" aria-label="Pages">
      <Link to={START} class="menu-brand" aria-label="Nomos">
        <Icon name="nomos" />
        <span>Nomos</span>
      </Link>
      <ul>
        {pages.map((page) =>
          page.menu === undefined ? null : (
            <li key={page.path}>
              <Link to={page.path} {...(isIn(page, at) ? { "aria-current": "page" as const } : {})}>
                <Icon name={page.menu.icon} />
                <span>{page.name}</span>
                {page.path === START && waiting > 0 && (
                  <span class="count">
                    {waiting}
                    <span class="hidden-text"> waiting for you</span>
                  </span>
                )}
              </Link>
            </li>
          ),
        )}
      </ul>
      <div class="menu-foot">
        <IconButton icon="search" name="Go to or do (Ctrl K)" onClick={openPalette} />
        <IconButton icon="keyboard" name="List the keys (?)" onClick={openKeyHelp} />
        <IconButton
          icon={theme === "dark" ? "moon" : theme === "light" ? "sun" : "contrast"}
          name={`Theme: ${theme}`}
          onClick={nextTheme}
        />
      </div>
    </nav>
  );
}

/** A page below another one belongs to it: `/ui/system/:section` to `/ui/system`. */
function isIn(page: Page, at: Page | null): boolean {
  return at !== null && (at === page || at.path.startsWith(`${page.path}/`));
}

/** Nothing is shown while all is well; a page never pretends to be live when it is not. */
function ConnectionBar() {
  const is = useConnection();
  const said: ComponentChildren = {
    live: null,
    "signed-out": null,
    connecting: "Connecting to the daemon …",
    broken: "The daemon does not answer. This is the last known state; it goes on by itself when the daemon is back.",
    polling: "This browser gives no live stream. The page asks every two seconds.",
  }[is];
  return (
    <div class={`connection connection-${is}`} role="status">
      {said}
    </div>
  );
}

function LoadedPage({ page, props }: { readonly page: Page; readonly props: PageProps }) {
  const [view, setView] = useState<{ readonly View: ComponentType<PageProps> } | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    document.title = `${page.name} · Nomos`;
    page.load().then(setView, setError);
  }, [page]);
  if (error !== null) return <NotLoaded name={page.name} />;
  if (view === null) return <p class="muted loading">Loading …</p>;
  return <Fenced View={view.View} props={props} />;
}

/** Its file is not there: most often the daemon was updated, and this window still has the older dashboard. */
function NotLoaded({ name }: { readonly name: string }) {
  return (
    <div class="page" role="alert">
      <h1>{name} could not be loaded</h1>
      <p>Nomos may have been updated since this window was opened. Reload to get the new dashboard.</p>
      <Button kind="primary" onClick={() => location.reload()}>
        Reload
      </Button>
    </div>
  );
}

/** A page that breaks says so; the frame and the other pages stay. */
function Fenced({ View, props }: { readonly View: ComponentType<PageProps>; readonly props: PageProps }) {
  const [broken, mend] = useErrorBoundary();
  if (broken === undefined) return <View {...props} />;
  return (
    <div class="page">
      <h1>This page broke</h1>
      <ErrorCard error={broken} again={mend} />
    </div>
  );
}

function NotFound() {
  return (
    <div class="page">
      <h1>No such page</h1>
      <p>
        <Link to={START}>See what runs now</Link>
      </p>
    </div>
  );
}
