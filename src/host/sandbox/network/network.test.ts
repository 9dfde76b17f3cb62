import { describe, expect, test } from "vitest";
import { findWay, isSameHost, type Resolve } from "./egress.ts";
import { readFirstWords } from "./first-words.ts";
import { parseHostRule, ruleFor, spellRule } from "./host-rules.ts";
import { isPublicAddress } from "./public-address.ts";

const rules = (...texts: string[]) => texts.flatMap((text) => parseHostRule(text) ?? []);

describe("network rules", () => {
  test.each([
    "example.org",
    "example.org:1",
    "example.org:65535",
    "*.example.org",
    "10.0.0.5:5432",
    "[::1]:80",
    "localhost:3000",
  ])("%s is a valid rule", (text) => {
    const rule = parseHostRule(text);
    expect(rule === null ? null : spellRule(rule)).toBe(text);
  });

  test.each([
    "",
    "*",
    "*.org",
    "*.10.0.0.1",
    "http://a",
    "a/b",
    "a b",
    "a:0",
    "a:65536",
    "a:99999",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "a..b",
    "[1.2.3.4]:80",
  ])("%j is not a valid rule", (text) => {
    expect(parseHostRule(text)).toBeNull();
  });

  test("names are compared as a resolver does: without case and final dot", async () => {
    const allow = rules("Example.ORG.");
    expect(await findWay(allow, { host: "EXAMPLE.org.", port: 443 }, async () => ["93.184.215.14"])).toEqual({
      host: "example.org",
      port: 443,
      address: "93.184.215.14",
    });
  });

  test("a name covers the web ports, a star covers the names below it", () => {
    const allow = rules("a.org", "*.b.org", "c.org:22");
    const fits = (host: string, port: number) => ruleFor(allow, host, port) !== null;
    expect([fits("a.org", 443), fits("a.org", 80), fits("a.org", 22), fits("x.a.org", 443)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([fits("b.org", 443), fits("x.b.org", 443), fits("x.y.b.org", 80), fits("xb.org", 443)]).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect([fits("c.org", 22), fits("c.org", 443), fits("evilc.org", 22)]).toEqual([true, false, false]);
  });
});

describe("where a name resolves to", () => {
  const PRIVATE = [
    ...["127.0.0.1", "10.1.2.3", "192.168.0.1", "172.31.255.255", "169.254.169.254", "100.64.0.1", "0.0.0.0"],
    ...["::1", "::", "fe80::1", "fd00::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "2002:7f00:1::"],
    ...["192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.0", "198.19.255.255", "198.51.100.1", "203.0.113.1"],
    ...["172.16.0.0", "100.127.255.255", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
    ...["64:ff9b:1::1", "100::1", "2001::1", "2001:1ff::1", "2001:db8::1", "3fff::1", "5f00::1", "fc00::1"],
    ...["fec0::1", "ff02::1", "168.63.129.16", "::ffff:0:7f00:1", "1fff::1", "4000::1", "8000::1", "fd20:ce::254"],
  ];
  const PUBLIC = [
    ...["8.8.8.8", "93.184.215.14", "2606:4700::1111", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0"],
    ...["172.15.255.255", "172.32.0.0", "192.0.1.1", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2001:200::1"],
  ];

  test.each(PRIVATE)("%s is not a public address", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(PUBLIC)("%s is a public address", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each(PRIVATE)(
    "an allowed name that resolves to %s is refused, also beside a public address",
    async (address) => {
      for (const addresses of [[address], ["8.8.8.8", address]])
        expect(await findWay(rules("a.org"), { host: "a.org", port: 443 }, async () => addresses)).toMatchObject({
          reason: "not_public",
        });
    },
  );

  test("a private address is reached only when the operator named that host and port", async () => {
    const allow = rules("10.0.0.5:5432", "db.internal:5432");
    const to = (host: string, port: number) => findWay(allow, { host, port }, async () => ["10.0.0.5"]);
    expect(await to("10.0.0.5", 5432)).toMatchObject({ address: "10.0.0.5" });
    expect(await to("db.internal", 5432)).toMatchObject({ address: "10.0.0.5" });
    expect(await to("10.0.0.5", 80)).toMatchObject({ reason: "not_allowed" });
    expect(await to("10.0.0.6", 5432)).toMatchObject({ reason: "not_allowed" });
  });

  test("no name reaches this machine or its metadata service, whoever allowed the name", async () => {
    const own = ["127.0.0.1", "169.254.169.254", "0.0.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"];
    for (const address of [...own, "fd00:ec2::254", "fe80::1"])
      expect(
        await findWay(rules("rebind.org:80"), { host: "rebind.org", port: 80 }, async () => [address]),
      ).toMatchObject({
        reason: "not_public",
      });
  });

  test("a name that leads to this machine beside another address is refused, also when exactly it is allowed", async () => {
    const addresses = ["10.0.0.5", "127.0.0.1"];
    expect(
      await findWay(rules("db.internal:5432"), { host: "db.internal", port: 5432 }, async () => addresses),
    ).toEqual({
      ...{ host: "db.internal", port: 5432, reason: "not_public" },
    });
  });

  test("a star with a port is not exactly one host, so it opens no private address", async () => {
    const allow = rules("*.internal.org:5432");
    expect(await findWay(allow, { host: "db.internal.org", port: 5432 }, async () => ["10.0.0.5"])).toMatchObject({
      reason: "not_public",
    });
  });

  test("this machine is reached by its own names and addresses, if the operator named host and port", async () => {
    const resolve = async (host: string) => (host === "localhost" ? ["127.0.0.1"] : expect.fail(`asked for ${host}`));
    for (const [host, address] of [
      ["localhost", "127.0.0.1"],
      ["127.0.0.1", "127.0.0.1"],
      ["[::1]", "::1"],
    ] as const) {
      expect(await findWay(rules(`${host}:3000`), { host, port: 3000 }, resolve)).toMatchObject({ address });
      expect(await findWay(rules(host), { host, port: 80 }, resolve)).toMatchObject({ reason: "not_public" });
    }
  });

  test("what is no address is not public, and a name without an address is not reached", async () => {
    expect(isPublicAddress("example.org")).toBe(false);
    const to = (resolve: Resolve) => findWay(rules("a.org"), { host: "a.org", port: 443 }, resolve);
    expect(await to(async () => [])).toMatchObject({ reason: "unresolved" });
    expect(await to(() => Promise.reject(new Error("no answer")))).toMatchObject({ reason: "unresolved" });
  });

  test("a host that is invalid is named as it was asked for, up to a bound", async () => {
    const host = `a b${"c".repeat(500)}`;
    const found = await findWay([], { host, port: 80 }, async () => []);
    expect(found).toEqual({ host: host.slice(0, 255), port: 80, reason: "not_a_host" });
  });

  test("the name inside a tunnel is the tunnel's own host, and its port when it says one", () => {
    const way = { host: "a.org", port: 8443, address: "8.8.8.8" };
    const names = ["a.org", "A.org.", "a.org:8443", "b.org", "a.org:443", "x.a.org", "a.org:8443:1", "", null];
    expect(names.map((name) => isSameHost(name, way))).toEqual([
      ...[true, true, true, false, false, false, false, false, false],
    ]);
    const six = { host: "::1", port: 80, address: "::1" };
    expect(["[::1]", "[::1]:80", "[::1]:81", "::1"].map((name) => isSameHost(name, six))).toEqual([
      ...[true, true, false, false],
    ]);
  });

  test.each(["127.1", "0x7f000001", "2130706433", "[::1", "a b", ""])("%j is not a valid host", async (host) => {
    expect(await findWay(rules("a.org"), { host, port: 80 }, async () => ["8.8.8.8"])).toMatchObject({
      reason: "not_a_host",
    });
  });
});

describe("the first bytes of a connection", () => {
  test("random bytes are read without an exception", () => {
    for (let seed = 0; seed < 2000; seed += 1) {
      const bytes = Buffer.from(Array.from({ length: seed % 90 }, (_, at) => (seed * 31 + at * at * 7) & 255));
      if (seed % 2 === 0 && bytes.length > 5)
        bytes.set([0x16, 3, 1, 0, bytes.length - 5, 1, 0, 0, bytes.length - 9].slice(0, bytes.length));
      expect(readFirstWords(bytes).is).toMatch(/tls|http|other|unclear|more needed/);
    }
  });

  test.each([
    ["GET / HTTP/1.1\r\n", "http"],
    ["\r\n \tG", "more needed"],
    ["\r\n \tG\tx", "http"],
    ["M-SEARCH * HTTP/1.1\r\n", "http"],
    ["SSH-2.0-x y\r\n", "other"],
    ["\x00\x01GET / HTTP/1.1\r\n", "http"],
    ["AMQP\x00\x00\x09\x01", "other"],
    ["\r\n\r\n\x00\r\nQUIT\n\x21", "unclear"],
    ["", "more needed"],
    ["\x00", "other"],
    ["\x01GET x", "other"],
  ])("%j is %s", (text, is) => {
    expect(readFirstWords(Buffer.from(text, "latin1"))).toEqual({ is });
  });
});
