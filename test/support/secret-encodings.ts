/** The ways in which programs write a secret. Each takes a number between 0 and 1 for whatever it may choose. */
export const ENCODINGS: { readonly [name: string]: (value: string, random: () => number) => string } = {
  plain: (value) => value,
  "base64, first alignment": (value) => Buffer.from(value).toString("base64"),
  "base64, second alignment": (value) => Buffer.from(`u${value}`).toString("base64"),
  "base64, third alignment": (value) => Buffer.from(`us${value}er`).toString("base64"),
  base64url: (value) => Buffer.from(value).toString("base64url"),
  "base64url within other text": (value) => Buffer.from(`{"key":"${value}"}`).toString("base64url"),
  "base64 in lines": (value) =>
    Buffer.from(value)
      .toString("base64")
      .replace(/(.{76})/g, "$1\n"),
  "base64 in a URL": (value) => encodeURIComponent(Buffer.from(`?${value}`).toString("base64")),
  hex: (value) => Buffer.from(value).toString("hex"),
  "hex, upper case": (value) => Buffer.from(value).toString("hex").toUpperCase(),
  "hex with colons": (value) => hexPairs(value).join(":"),
  "hex with spaces": (value) => hexPairs(value).join(" "),
  url: (value) => encodeURIComponent(value),
  "url, lower case": (value) => encodeURIComponent(value).replace(/%../g, (hex) => hex.toLowerCase()),
  "url, partly": (value, random) => someBytes(value, random, (hex) => `%${hex}`),
  "url, every byte": (value) =>
    hexPairs(value)
      .map((hex) => `%${hex}`)
      .join(""),
  form: (value) => new URLSearchParams({ value }).toString().slice("value=".length),
  "url, twice": (value) => encodeURIComponent(encodeURIComponent(value)),
  json: (value) => JSON.stringify(value).slice(1, -1),
  "json, twice": (value) => JSON.stringify(JSON.stringify(value)).slice(3, -3),
  "json, three times": (value) => JSON.stringify(JSON.stringify(JSON.stringify(value))),
  "json, all \\u": (value) => [...value].map(unicodeEscape).join(""),
  "json, some \\u": (value, random) =>
    [...value].map((one) => (random() < 0.5 ? unicodeEscape(one) : jsonOf(one))).join(""),
  "json, all \\u, twice": (value) => JSON.stringify([...value].map(unicodeEscape).join("")),
  "json in a url": (value) => encodeURIComponent(JSON.stringify({ value })),
  "url in json": (value) => JSON.stringify({ url: `https://x/?a=${encodeURIComponent(value)}` }),
  "shell, backslashes": (value) => value.replace(/[^A-Za-z0-9_\n]/gu, "\\$&"),
  "shell, single quotes": (value) => `'${value.replaceAll("'", "'\\''")}'`,
  "shell, single quotes of Python": (value) => `'${value.replaceAll("'", `'"'"'`)}'`,
  "shell, double quotes": (value) => `"${value.replace(/[\\"$`]/g, "\\$&")}"`,
  "html, named": (value) => value.replace(/[&<>"']/g, (one) => HTML[one] ?? one),
  "html, decimal": (value) => [...value].map((one) => `&#${one.codePointAt(0)};`).join(""),
  "html, hex, some": (value, random) =>
    [...value].map((one) => (random() < 0.5 || one === "&" ? `&#x${one.codePointAt(0)?.toString(16)};` : one)).join(""),
  "UTF-8 as latin1": (value) => Buffer.from(value).toString("latin1"),
  "csv field": (value) => `"${value.replaceAll('"', '""')}"`,
  "other line ends": (value) => value.replaceAll("\n", "\r\n"),
  "\\x of C": (value) =>
    hexPairs(value)
      .map((hex) => `\\x${hex}`)
      .join(""),
};

const HTML: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function hexPairs(value: string): string[] {
  return [...Buffer.from(value)].map((byte) => byte.toString(16).padStart(2, "0"));
}

function someBytes(value: string, random: () => number, spell: (hex: string) => string): string {
  const isLiteral = (byte: number) => byte < 0x80 && byte !== 0x25 && random() < 0.5;
  return [...Buffer.from(value)]
    .map((byte) => (isLiteral(byte) ? String.fromCharCode(byte) : spell(byte.toString(16).padStart(2, "0"))))
    .join("");
}

function unicodeEscape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}

function jsonOf(character: string): string {
  return JSON.stringify(character).slice(1, -1);
}
