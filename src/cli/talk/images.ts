import { readFileSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ClientError, type InputOf } from "../../client/index.ts";
import { LIMITS } from "../../kernel/index.ts";

type Attachment = NonNullable<InputOf<"session.prompt">["attachments"]>[number];

/** What a picture's first bytes are. */
const KINDS: readonly (readonly [mediaType: string, extensions: RegExp, begin: RegExp])[] = [
  ["image/png", /^\.png$/i, /^\x89PNG/],
  ["image/jpeg", /^\.jpe?g$/i, /^\xff\xd8\xff/],
  ["image/gif", /^\.gif$/i, /^GIF8/],
  ["image/webp", /^\.webp$/i, /^RIFF....WEBP/s],
];
const HEAD_BYTES = 16;
const PATH_CHARS_MAX = 4096;

/** `@pic.png` and `@"a picture.png"`, anywhere in a prompt. */
const MENTION = /(?:^|\s)@(?:"([^"\n]+)"|(\S+))/g;

/** The pictures that a prompt names. Other files are only named: the agent reads them by itself. */
export async function imagesIn(prompt: string, cwd: string): Promise<readonly Attachment[]> {
  const paths = new Set<string>();
  for (const [, quoted, bare] of prompt.matchAll(MENTION)) {
    const path = resolve(cwd, athome(quoted ?? bare ?? ""));
    if (kindByName(path) !== null) paths.add(path);
  }
  const read = await Promise.all([...paths].map(imageAt));
  const images = read.filter((image) => image !== null);
  if (images.length > LIMITS.attachmentsMax)
    throw refusal(`A prompt takes at most ${LIMITS.attachmentsMax} pictures; this one names ${images.length}.`);
  return images;
}

/** Null for a name that is no file: it stays text. */
async function imageAt(path: string): Promise<Attachment | null> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) return null;
  if (found.size > LIMITS.attachmentBytes)
    throw refusal(`${basename(path)} has ${found.size} bytes; a picture has at most ${LIMITS.attachmentBytes}.`);
  const bytes = await readFile(path).catch(() => null);
  if (bytes === null) throw refusal(`${basename(path)} cannot be read.`);
  const mediaType = kindByBytes(bytes);
  if (mediaType === null) throw refusal(`${basename(path)} is no picture: its content is of another kind.`);
  return { kind: "image", name: basename(path), mediaType, data: bytes.toString("base64") };
}

/** A pasted or dropped path of a picture as a mention; null for any other text. */
export function pastedImage(pasted: string, cwd: string): { readonly mention: string; readonly name: string } | null {
  const path = pathIn(pasted);
  if (path === null || kindByName(path) === null) return null;
  const whole = resolve(cwd, athome(path));
  if (!isPicture(whole)) return null;
  return { mention: /[\s"]/.test(whole) ? `@"${whole}"` : `@${whole}`, name: basename(whole) };
}

/** Terminals write a dropped file as a word of a shell, in quotes or with backslashes, or as an address. */
function pathIn(pasted: string): string | null {
  const text = pasted.trim();
  if (text === "" || text.length > PATH_CHARS_MAX || text.includes("\n")) return null;
  if (text.startsWith("file://")) {
    try {
      return fileURLToPath(text);
    } catch {
      return null;
    }
  }
  const [, , quoted] = /^(['"])(.*)\1$/.exec(text) ?? [];
  return quoted ?? text.replace(/\\(.)/g, "$1");
}

function isPicture(path: string): boolean {
  try {
    // A named pipe would wait for a writer, so the kind is looked at first.
    const found = statSync(path);
    return found.isFile() && found.size <= LIMITS.attachmentBytes && kindByBytes(readFileSync(path)) !== null;
  } catch {
    // No such file, or not ours to read.
    return false;
  }
}

function kindByName(path: string): string | null {
  return KINDS.find(([, extensions]) => extensions.test(extname(path)))?.[0] ?? null;
}

function kindByBytes(bytes: Buffer): string | null {
  const head = bytes.subarray(0, HEAD_BYTES).toString("latin1");
  return KINDS.find(([, , begin]) => begin.test(head))?.[0] ?? null;
}

function athome(path: string): string {
  return path.startsWith("~/") ? `${homedir()}${path.slice(1)}` : path;
}

function refusal(message: string): ClientError {
  return new ClientError("content_unsupported", {
    message,
    remedy: "Nothing was sent. Change the text and send it again.",
  });
}
