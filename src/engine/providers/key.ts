import { open } from "node:fs/promises";

/** Where a key is kept. The value itself is never part of the configuration. */
export type KeySource = { readonly env: string } | { readonly file: string } | { readonly secret: string };

const KEY_FILE_BYTES_MAX = 64 * 1024;

/** A key that cannot be read. The message names the place, never the content. */
export class KeyError extends Error {
  readonly source: KeySource;
  constructor(source: KeySource, message: string) {
    super(message);
    this.name = "KeyError";
    this.source = source;
  }
}

/** Gives the value of a secret of the vault, or throws an error that says what is wrong with it. */
export type ReadSecret = (name: string) => Promise<string>;

/** The key without surrounding white space, or null when the variable is not set. */
export async function resolveKey(
  source: KeySource,
  environment: Readonly<Record<string, string | undefined>>,
  readSecret: ReadSecret,
): Promise<string | null> {
  if ("env" in source) return environment[source.env]?.trim() || null;
  if ("file" in source) return await keyInFile(source);
  return await keyInVault(source, readSecret);
}

async function keyInVault(source: { readonly secret: string }, readSecret: ReadSecret): Promise<string> {
  try {
    return (await readSecret(source.secret)).trim();
  } catch (thrown) {
    const remedy = thrown instanceof Error && "remedy" in thrown ? ` ${String(thrown.remedy)}` : "";
    const says = thrown instanceof Error ? thrown.message : String(thrown);
    throw new KeyError(source, `The key comes from the secret ${source.secret}: ${says}${remedy}`);
  }
}

async function keyInFile(source: { readonly file: string }): Promise<string> {
  const text = await readWhole(source);
  const key = text.trim();
  if (key === "") throw new KeyError(source, `The key file ${source.file} is empty.`);
  return key;
}

async function readWhole(source: { readonly file: string }): Promise<string> {
  const { file } = source;
  try {
    await using handle = await open(file, "r");
    // One byte more than allowed tells a file that is too large, without trusting its reported size.
    const buffer = Buffer.alloc(KEY_FILE_BYTES_MAX + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
      if (bytesRead === 0) return buffer.toString("utf8", 0, length);
      length += bytesRead;
    }
  } catch (thrown) {
    throw new KeyError(source, `The key file ${file} cannot be read (${codeOf(thrown)}).`);
  }
  throw new KeyError(source, `The key file ${file} is larger than ${KEY_FILE_BYTES_MAX / 1024} KB.`);
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error";
}
