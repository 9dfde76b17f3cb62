import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const END_PX = 60;
/** Pages are read before somebody reaches the edge. */
const NEAR_PX = 1_200;

interface ScrollSettings {
  readonly list: RefObject<HTMLElement | null>;
  /** Changes when what is shown changes. */
  readonly shown: unknown;
  readonly onNearTop: () => void;
  readonly onNearEnd: () => void;
  readonly onLook: (atEnd: boolean) => void;
}

/** Keeps the end in sight while somebody is there, and otherwise the entry that they read. */
export function useScroll({ list, shown, onNearTop, onNearEnd, onLook }: ScrollSettings): {
  readonly isAtEnd: boolean;
  readonly toEnd: () => void;
} {
  const [isAtEnd, setAtEnd] = useState(true);
  const sticks = useRef(true);
  const anchor = useRef<{ readonly entry: string; readonly top: number } | null>(null);
  const settings = useRef({ onNearTop, onNearEnd, onLook });
  settings.current = { onNearTop, onNearEnd, onLook };

  const settle = useCallback((): void => {
    const held = anchor.current;
    if (sticks.current) scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
    else if (held !== null) keepInPlace(list.current, held);
    // A page that does not fill the window is never scrolled.
    if (scrollY < NEAR_PX) settings.current.onNearTop();
  }, [list]);

  useLayoutEffect(settle, [shown, settle]);
  useEffect(() => {
    const onScroll = (): void => {
      const { scrollHeight } = document.documentElement;
      const below = scrollHeight - scrollY - innerHeight;
      sticks.current = below < END_PX;
      setAtEnd(sticks.current);
      settings.current.onLook(sticks.current);
      anchor.current = firstInSight(list.current);
      if (scrollY < NEAR_PX) settings.current.onNearTop();
      if (below < NEAR_PX) settings.current.onNearEnd();
    };
    const watched = new ResizeObserver(settle);
    // The whole page: the end also moves when the box at the bottom grows.
    const page = list.current?.closest(".page") ?? null;
    if (page !== null) watched.observe(page);
    addEventListener("scroll", onScroll, { passive: true });
    return () => {
      watched.disconnect();
      removeEventListener("scroll", onScroll);
    };
  }, [list, settle]);
  const toEnd = useCallback((): void => {
    sticks.current = true;
    setAtEnd(true);
    settle();
  }, [settle]);
  return { isAtEnd, toEnd };
}

function keepInPlace(list: HTMLElement | null, { entry, top }: { readonly entry: string; readonly top: number }): void {
  const element = list?.querySelector(`[data-entry="${entry}"]`);
  const moved = element === null || element === undefined ? 0 : element.getBoundingClientRect().top - top;
  if (Math.abs(moved) > 1) scrollBy({ top: moved, behavior: "instant" });
}

function firstInSight(list: HTMLElement | null): { readonly entry: string; readonly top: number } | null {
  const entries = list?.querySelectorAll<HTMLElement>("[data-entry]") ?? [];
  // Halving: the entries stand in order, and reading each one's place is slow in a long list.
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((entries[middle]?.getBoundingClientRect().bottom ?? 0) > 100) high = middle;
    else low = middle + 1;
  }
  const found = entries[low];
  const entry = found?.dataset["entry"];
  return found === undefined || entry === undefined ? null : { entry, top: found.getBoundingClientRect().top };
}
