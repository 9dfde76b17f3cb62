import { expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { givenServers } from "./given-servers.ts";
import { isWanted, servedName } from "./tool-names.ts";

/** As other programs write it. */
const referenceTo = (name: string): string => `$\{${name}}`;
const invalid = (given: Parameters<typeof givenServers>[0]): string => {
  try {
    givenServers(given);
    return "valid";
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown ? `${thrown.code}: ${thrown.message}` : String(thrown);
  }
};

test("a program with its arguments, and an address with a header from the environment", () => {
  expect(
    givenServers({ name: "fs", argv: ["npx", "-y", "server", "/a,b"], env: ["TOKEN=env:MY_TOKEN", "MODE=quick"] }),
  ).toEqual([
    {
      name: "fs",
      settings: { command: "npx", args: ["-y", "server", "/a,b"], env: { TOKEN: { env: "MY_TOKEN" }, MODE: "quick" } },
    },
  ]);
  const [remote] = givenServers({
    name: "gh",
    url: "https://example.test/mcp",
    header: ["Authorization=Bearer env:GH"],
  });
  expect(remote?.settings).toMatchObject({ headers: { Authorization: { env: "GH", prefix: "Bearer " } } });
});

test("a file of another program is taken as it is, with its references", () => {
  const config = JSON.stringify({
    mcpServers: {
      files: { command: "npx", args: ["x"], env: { KEY: referenceTo("MY_KEY"), PLAIN: "text" } },
      remote: {
        type: "http",
        url: "https://example.test/mcp",
        headers: { Authorization: `Bearer ${referenceTo("env:TOKEN")}` },
      },
    },
  });
  const servers = givenServers({ settings: config });
  expect(servers.map(({ name }) => name)).toEqual(["files", "remote"]);
  expect(servers[0]?.settings).toMatchObject({ env: { KEY: { env: "MY_KEY" }, PLAIN: "text" } });
  expect(servers[1]?.settings).toMatchObject({ headers: { Authorization: { env: "TOKEN", prefix: "Bearer " } } });
  expect(givenServers({ settings: config, name: "remote" })).toHaveLength(1);
});

proves("MS-6", "settings that cannot be are refused by name, and a key on the command line is not repeated", () => {
  expect(invalid({ name: "x" })).toContain("give one of");
  expect(invalid({ argv: ["x"] })).toContain("which name");
  expect(invalid({ name: "a b", argv: ["x"] })).toContain('"a b": a name has letters');
  expect(invalid({ settings: "{" })).toContain("line 1");
  expect(invalid({ settings: "[]" })).toContain("no JSON object");
  expect(invalid({ settings: "{}" })).toContain("names no server");
  expect(invalid({ settings: '{"mcpServers":{"a":{"type":"sse","url":"http://x.test"}}}' })).toContain(
    "`sse` is not spoken",
  );
  expect(invalid({ settings: '{"a":{"command":""}}' })).toContain("a: `command`");
  expect(invalid({ settings: '{"a":{"url":"ftp://x.test"}}' })).toContain("a: `url`");
  expect(invalid({ settings: '{"__proto__":{"command":"x"}}' })).toContain("mcp_server_invalid");
  expect(invalid({ name: "x", argv: ["x"], env: ["NOVALUE"] })).toContain("NAME=env:VARIABLE");
  expect(invalid({ name: "x", argv: ["x"], env: ["T=file:relative"] })).toContain("absolute");
  const key = `ghp_${"a1".repeat(20)}`;
  expect(invalid({ name: "x", argv: ["x", key] })).toMatch(/^key_in_argument/);
  expect(invalid({ name: "x", argv: ["x"], env: [`T=${key}`] })).toMatch(/^key_in_argument/);
  expect(invalid({ name: "x", argv: ["x"], env: [`T=${key}`] })).not.toContain(key);
});

proves(
  "MS-4",
  "names are at most 64 of the letters that every provider takes, different and the same each time",
  () => {
    expect(servedName("fs", "read_file")).toBe("mcp__fs__read_file");
    const long = servedName("server", "x".repeat(200));
    expect(long).toMatch(/^mcp__server__x+_[0-9a-f]{8}$/);
    expect(long).toHaveLength(64);
    expect(servedName("server", `${"x".repeat(200)}y`)).not.toBe(long);
    expect(servedName("s", "ä")).not.toBe(servedName("s", "ö"));
    expect(servedName("a", "b__c")).not.toBe(servedName("a__b", "c"));
    expect(isWanted("read_file", { allow: ["read*"], deny: ["*_secret"] })).toBe(true);
    expect(isWanted("read_secret", { allow: ["read*"], deny: ["*_secret"] })).toBe(false);
    expect(isWanted("aXbYc", { allow: ["a*b*c"] })).toBe(true);
    expect(isWanted("ab", { allow: ["ab*ab"] })).toBe(false);
  },
);
