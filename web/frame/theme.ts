import { signal } from "@preact/signals";
import { keep, kept } from "./kept.ts";

export type Theme = "auto" | "light" | "dark";

const THEMES: readonly Theme[] = ["auto", "light", "dark"];
const THEME = signal<Theme>("auto");

export function startTheme(): void {
  use(THEMES.find((theme) => theme === kept("theme")) ?? "auto");
}

export function useTheme(): Theme {
  return THEME.value;
}

export function nextTheme(): void {
  use(THEMES[(THEMES.indexOf(THEME.peek()) + 1) % THEMES.length] ?? "auto");
}

function use(theme: Theme): void {
  THEME.value = theme;
  keep("theme", theme === "auto" ? null : theme);
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
