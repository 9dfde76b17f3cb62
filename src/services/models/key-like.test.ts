import { expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { looksLikeKey, refuseKeys } from "./key-like.ts";

test.each([
  "sk-ant-api03-abcdefghijklmnop",
  "sk-proj-0123456789abcdefABCDEF",
  "gsk_abcdefghijklmnop0123",
  "AIzaSyA0123456789abcdefghijk",
  "ghp_0123456789abcdefghij",
  "AKIAIOSFODNN7EXAMPLE",
  "dGhpcyBpcyBhIGxvbmcgYmFzZTY0IHN0cmluZw9=",
  "0123456789abcdef0123456789abcdef",
  "https://models.example/v1?key=sk-0123456789abcdefgh",
])("%s looks like a key", (text) => {
  expect(looksLikeKey(text)).toBe(true);
});

test.each([
  "claude-sonnet-4-5-20250929",
  "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8",
  "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  "accounts/fireworks/models/qwen3-coder-480b-a35b-instruct",
  "hf.co/bartowski/Qwen2.5-Coder-32B-Instruct-GGUF:Q4_K_M",
  "gpt-5.1-codex-max",
  "OPENROUTER_API_KEY",
  "/home/somebody/.config/keys/anthropic.txt",
  "internationalizationofeverything",
])("%s is no key", (text) => {
  expect(looksLikeKey(text)).toBe(false);
});

proves("MOD-3", "a key in an argument: the error names the member and does not repeat the key", () => {
  const key = "sk-ant-api03-abcdefghijklmnop";
  const refused = expect.objectContaining({ code: "key_in_argument", details: { field: "model" } });
  expect(() => refuseKeys({ name: "acme", model: key, other: undefined })).toThrow(refused);
  expect(() => refuseKeys({ model: key })).not.toThrow(
    expect.objectContaining({ message: expect.stringContaining(key) }),
  );
});
