import { createFilter } from "./filter/filter.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { VALUE_MAX_BYTES, VALUE_MIN_BYTES } from "./limits.ts";
import { spellMarker } from "./markers.ts";
import { redactData } from "./redact-data.ts";
import { createStream, type RedactedStream } from "./redact-stream.ts";
import { createByteScanner } from "./scan/byte-window.ts";
import type { Found } from "./scan/found.ts";
import { createScanner } from "./scan/scanner.ts";
import { createTextScanner } from "./scan/text-window.ts";
import { SHAPES } from "./shapes/catalogue/index.ts";
import { createShapeIndex } from "./shapes/shape-index.ts";
import { type Unread, unreadAs } from "./unread.ts";
import { createValueIndex } from "./values/value-index.ts";

/** A secret that was found. Its value is not in it. */
export interface Finding {
  /** `vault`, or the id of a shape. */
  readonly kind: string;
  readonly fingerprint: string;
  /** In characters of a text, in bytes of bytes. */
  readonly at: number;
  readonly length: number;
}

/** A value of the vault, also one that is retired. */
export interface KnownValue {
  readonly value: Uint8Array | string;
}

/** Replaces secrets by markers: known values in every usual encoding, and the shapes of well-known keys. */
export interface Redactor {
  /** The same string when nothing is found. */
  text(text: string): string;
  /** Every string in plain JSON data, names of members too. The same object when nothing is found. */
  data<T>(value: T): T;
  /** Known values only, for text and for anything else. The same object when nothing is found. */
  bytes(bytes: Uint8Array): Uint8Array;
  /** Values and shapes; nothing is replaced. */
  find(text: string): readonly Finding[];
  /** The same for bytes. `unread` names a packing that hides what is in it. */
  look(bytes: Uint8Array): { readonly findings: readonly Finding[]; readonly unread: Unread };
  /** For text in chunks: holds back only what may be the beginning of a secret. */
  stream(): RedactedStream;
}

export interface LearningRedactor extends Redactor {
  /** Adds values. One that is shorter than 8 bytes or longer than 65,536 is refused with a RangeError. */
  learn(values: readonly KnownValue[]): void;
}

export function createRedactor({ fingerprintKey }: { readonly fingerprintKey: Uint8Array }): LearningRedactor {
  const filter = createFilter();
  const values = createValueIndex(filter);
  const scanner = createScanner(filter, values, createShapeIndex(SHAPES, filter));
  const texts = createTextScanner(scanner);
  const binary = createByteScanner(scanner);

  const marker = ({ kind, secret }: Found) => spellMarker({ kind, fingerprint: fingerprintOf(fingerprintKey, secret) });
  const finding = ({ kind, secret, start, end }: Found): Finding => ({
    kind,
    fingerprint: fingerprintOf(fingerprintKey, secret),
    at: start,
    length: end - start,
  });
  const replace = (text: string, from: number, to: number, found: readonly Found[]): string => {
    let out = "";
    let at = from;
    for (const one of found) {
      out += text.slice(at, one.start) + marker(one);
      at = one.end;
    }
    return out + text.slice(at, to);
  };
  const redactText = (text: string): string => {
    const found = texts.whole(text);
    return found.length === 0 ? text : replace(text, 0, text.length, found);
  };

  return {
    text: redactText,
    data: (value) => redactData(value, redactText),
    bytes: (bytes) => {
      const found = binary.whole(bytes, false);
      return found.length === 0 ? bytes : replaceBytes(bytes, found, marker);
    },
    find: (text) => texts.whole(text).map(finding),
    look: (bytes) => ({ findings: binary.whole(bytes, true).map(finding), unread: unreadAs(bytes) }),
    stream: () => createStream(texts, replace),
    learn: (known) => values.learn(known.map(({ value }) => checked(value))),
  };
}

function checked(value: Uint8Array | string): Uint8Array {
  const bytes = Buffer.from(value);
  if (bytes.length < VALUE_MIN_BYTES || bytes.length > VALUE_MAX_BYTES)
    throw new RangeError(`a known value has ${VALUE_MIN_BYTES} to ${VALUE_MAX_BYTES} bytes, not ${bytes.length}`);
  return bytes;
}

function replaceBytes(bytes: Uint8Array, found: readonly Found[], marker: (one: Found) => string): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const one of found) {
    parts.push(bytes.subarray(at, one.start), Buffer.from(marker(one)));
    at = one.end;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}
