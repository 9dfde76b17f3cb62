import type { Client, Session } from "../../client/index.ts";
import type { Choice } from "../screen/picker.ts";
import type { Text } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";

/** The driver of our own engine. */
export const OWN_DRIVER = "nomos";

/** What a slash command works with. */
export interface SlashContext {
  readonly terminal: Terminal;
  readonly client: Client;
  readonly id: string;
  readonly name: string;
  readonly session: Session;
  readonly print: (lines: readonly Text[]) => void;
  readonly detach: () => void;
  /** Lets a person choose. Without a cursor it prints the list and `how` to name one, and resolves with null. */
  readonly pick: <T>(list: Picked<T>) => Promise<T | null>;
  /** Leaves this session for another one, on the same screen. */
  readonly goTo: (session: Session, isNew: boolean) => void;
  /** The agent's commands are asked for again; resolves with how many there are. */
  readonly rereadCommands: () => Promise<number>;
  /** Sends a prompt that waits for the running turn. */
  readonly queue: (prompt: string) => Promise<void>;
}

export interface Picked<T> {
  readonly title: string;
  readonly choices: readonly Choice<T>[];
  /** How to name one, where nothing can be chosen by keys. */
  readonly how: string;
}

export interface SlashCommand {
  readonly usage: string;
  readonly summary: string;
  readonly run: (context: SlashContext, words: string) => Promise<void> | void;
}

export type SlashCommands = { readonly [name: string]: SlashCommand };

export function turnIn(words: string): number | null {
  return /^\d{1,6}$/.test(words) ? Number(words) : null;
}
