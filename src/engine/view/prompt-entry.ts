import type { Image, Message, Text } from "../model.ts";
import type { Entry, EntryAt } from "./entry.ts";
import type { LoadedAttachment } from "./path-event.ts";
import { cutText, isBlank, text } from "./texts.ts";

/** A text file beyond it is cut: the model can read the rest with its tools. */
const ATTACHMENT_CHARS = 100_000;

/** The user's message at the start of a turn. */
export function createPromptEntry(at: EntryAt, prompt: PromptParts): Entry {
  return entryOf("prompt", at, promptContent(prompt));
}

/** Steering messages that a step is the first to contain. */
export function createSteerEntry(at: EntryAt, steers: readonly string[]): Entry {
  return entryOf("steer", at, steers.filter((said) => !isBlank(said)).map(text));
}

/** What came of a branch that a rewind left. */
export function createBranchEntry(at: EntryAt, summary: string): Entry {
  return entryOf("branch", at, [text(branchText(summary))]);
}

function branchText(summary: string): string {
  return `From this point on you tried something else before and left it; the files may be as they were before that. What came of it:\n\n<left-branch>\n${summary.trim()}\n</left-branch>`;
}

export interface PromptParts {
  /** How the turn before ended; null when there is nothing to say. */
  readonly note: string | null;
  /** Steering messages that no step contained. */
  readonly lateSteers: readonly string[];
  /** Null: erased. */
  readonly prompt: string | null;
  readonly attachments: readonly LoadedAttachment[];
}

function entryOf(kind: "prompt" | "steer" | "branch", at: EntryAt, content: readonly (Text | Image)[]): Entry {
  const messages: readonly Message[] = content.length === 0 ? [] : [{ role: "user", content }];
  return { ...at, kind, isOpen: () => false, messages: () => messages, files: () => NO_FILES };
}

const NO_FILES = { read: [], modified: [] };

function promptContent({ note, lateSteers, prompt, attachments }: PromptParts): readonly (Text | Image)[] {
  const before = [
    ...(note === null ? [] : [note]),
    ...lateSteers.filter((said) => !isBlank(said)).map((said) => `[said during the earlier turn] ${said}`),
  ];
  const asked = prompt === null ? "[this prompt was erased]" : prompt;
  const content = [...(isBlank(asked) ? [] : [text(asked)]), ...attachments.map(attachmentPart)];
  return [...before.map(text), ...(content.length === 0 ? [text("[empty prompt]")] : content)];
}

function attachmentPart({ kind, name, mediaType, uri, base64 }: LoadedAttachment): Text | Image {
  if (kind === "link") return text(`[link: ${name}] ${uri ?? ""}`.trimEnd());
  if (base64 === undefined) return text(`[attachment: ${name} (${mediaType}), which is no longer there]`);
  if (kind === "image") return { kind: "image", mediaType, base64 };
  const content = Buffer.from(base64, "base64").toString("utf8");
  const isText = !content.includes("\u0000") && !content.includes("\ufffd");
  if (!isText) return text(`[attachment: ${name} (${mediaType}), no text]`);
  return text(`[attachment: ${name} (${mediaType})]\n${cutText(content, ATTACHMENT_CHARS)}`);
}
