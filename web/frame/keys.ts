import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export interface Key {
  /** `Approve the question` */
  readonly does: string;
  readonly run: () => void;
}

/** `j`, `Enter`, `g n`: one key, or two one after the other. */
export type Keys = Readonly<Record<string, Key>>;

const HELD: { keys: Keys }[] = [];
const SECOND_MS = 1_200;
/** Changes when keys come or go, for the list of keys. */
const CHANGES = signal(0);

let first: { readonly key: string; readonly atMs: number } | null = null;

/** Keys of a view while it is shown. The newest view wins; none fires while somebody types or a dialog is open. */
export function useKeys(keys: Keys): void {
  const held = useRef({ keys });
  held.current.keys = keys;
  useEffect(() => {
    const own = held.current;
    HELD.push(own);
    CHANGES.value += 1;
    return () => {
      HELD.splice(HELD.indexOf(own), 1);
      CHANGES.value += 1;
    };
  }, []);
}

/** All keys that work now, with what they do. */
export function useKeyList(): readonly (readonly [key: string, does: string])[] {
  CHANGES.value;
  const all = new Map<string, string>();
  for (const { keys } of HELD) for (const [key, { does }] of Object.entries(keys)) all.set(key, does);
  return [...all];
}

export function startKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event)) return;
    const isSecond = first !== null && event.timeStamp - first.atMs < SECOND_MS;
    const pressed = isSecond && first !== null ? `${first.key} ${event.key}` : event.key;
    first = null;
    const found = HELD.findLast(({ keys }) => Object.hasOwn(keys, pressed))?.keys[pressed];
    if (found !== undefined) {
      event.preventDefault();
      found.run();
    } else if (HELD.some(({ keys }) => Object.keys(keys).some((key) => key.startsWith(`${pressed} `)))) {
      first = { key: pressed, atMs: event.timeStamp };
    }
  });
}

/** Nobody types into these. */
const TYPELESS: ReadonlySet<string> = new Set(["range", "checkbox", "radio", "button"]);

function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (document.querySelector("dialog[open]") !== null) return true;
  // Enter and the space bar belong to the button or link that has the focus.
  if (key === "Enter" || key === " ") return target.closest("button, a, summary, input, select, textarea") !== null;
  if (target instanceof HTMLInputElement) return !TYPELESS.has(target.type);
  return target.isContentEditable || /^(?:TEXTAREA|SELECT)$/.test(target.tagName);
}
