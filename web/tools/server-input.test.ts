import { expect, test } from "vitest";
import { NO_SERVER, serverInput } from "./server-input.ts";

test("a program has one argument a line, spaces included", () => {
  const draft = { ...NO_SERVER, name: " files ", command: "npx\n-y\nserver-files\n/home/me/my files\n\n" };
  expect(serverInput(draft)).toEqual({ name: "files", argv: ["npx", "-y", "server-files", "/home/me/my files"] });
});

test("an address has headers, a program has variables", () => {
  const secret = "TOKEN=env:ACME\n";
  expect(serverInput({ ...NO_SERVER, name: "a", command: "a", secret })).toMatchObject({ env: ["TOKEN=env:ACME"] });
  const draft = { ...NO_SERVER, name: "a", kind: "address", url: " https://a.example/mcp ", secret };
  expect(serverInput(draft)).toEqual({ name: "a", url: "https://a.example/mcp", header: ["TOKEN=env:ACME"] });
});
