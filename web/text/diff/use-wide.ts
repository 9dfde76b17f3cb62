import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Whether an element is at least that wide, now and after each change of its size. */
export function useWide(element: RefObject<HTMLElement | null>, minPx: number): boolean {
  const [isWide, setWide] = useState(false);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => setWide(current.clientWidth >= minPx);
    measure();
    if (typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [minPx]);
  return isWide;
}
