import { describe, expect, test } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { toNomosError, type WebSettings } from "../../../contract/index.ts";
import { parseHostRule, type Resolve } from "../../../host/index.ts";
import { findWay } from "./find-way.ts";
import { readWebRules } from "./web-rules.ts";
import { readWebUrl } from "./web-url.ts";

const PUBLIC = "93.184.215.14";

async function way(
  url: string,
  settings: WebSettings = {},
  addresses: readonly string[] = [PUBLIC],
  network: readonly string[] | null = null,
): Promise<string> {
  const session = network?.flatMap((text) => parseHostRule(text) ?? []) ?? null;
  const resolve: Resolve = async () => addresses;
  try {
    return (await findWay({ rules: readWebRules(settings), session, resolve }, readWebUrl(url))).join(",");
  } catch (thrown) {
    const { code, details } = toNomosError(thrown);
    return `${code} ${details["reason"] ?? ""}`.trim();
  }
}

const REFUSED = "web_refused not_public";

describe("what a name resolves to", () => {
  proves("WEB-1", "one private address among public ones refuses the name", async () => {
    expect(await way("http://a.org/", {}, [PUBLIC, "10.0.0.1"])).toBe(REFUSED);
    expect(await way("http://a.org/", {}, [PUBLIC, "::1"])).toBe(REFUSED);
    expect(await way("http://a.org/", {}, ["fe80::1%eth0"])).toBe(REFUSED);
    expect(await way("http://a.org/", {}, ["::ffff:8.8.8.8"])).toBe(REFUSED);
    expect(await way("http://a.org/", {}, [PUBLIC, "2606:4700::1111"])).toBe(`${PUBLIC},2606:4700::1111`);
  });

  test("a name without an address, or with nonsense for one, is not reached", async () => {
    expect(await way("http://a.org/", {}, [])).toBe("web_unreachable");
    expect(await way("http://a.org/", {}, ["a.org"])).toBe("web_unreachable");
    const failing: Resolve = () => Promise.reject(new Error("no answer"));
    const reach = { rules: readWebRules({}), session: null, resolve: failing };
    await expect(findWay(reach, readWebUrl("http://a.org/"))).rejects.toMatchObject({ code: "web_unreachable" });
  });

  test("the answer does not tell where a private name leads", async () => {
    const reach = { rules: readWebRules({}), session: null, resolve: async () => ["10.1.2.3"] };
    await expect(findWay(reach, readWebUrl("http://a.org/"))).rejects.not.toThrow(/10\.1\.2\.3/);
  });
});

describe("web.allow", () => {
  test.each([
    ["http://127.0.0.1:3000/", ["127.0.0.1:3000"], ["127.0.0.1"], "127.0.0.1"],
    ["http://127.0.0.1:3001/", ["127.0.0.1:3000"], ["127.0.0.1"], REFUSED],
    ["http://127.0.0.1/", ["127.0.0.1"], ["127.0.0.1"], "127.0.0.1"],
    ["http://127.0.0.1:22/", ["127.0.0.1"], ["127.0.0.1"], REFUSED],
    ["http://[::1]:3000/", ["[::1]:3000"], ["::1"], "::1"],
    ["http://[::1]/", ["::1"], ["::1"], "::1"],
    ["http://localhost:3000/", ["localhost:3000"], ["127.0.0.1"], "127.0.0.1"],
    ["http://localhost:3000/", ["127.0.0.1:3000"], ["127.0.0.1"], REFUSED],
    ["http://localhost:3000/", ["localhost:3000"], ["169.254.169.254"], REFUSED],
    ["http://localhost:3000/", ["localhost:3000"], ["10.0.0.1"], REFUSED],
    ["http://wiki.corp/", ["wiki.corp"], ["10.0.0.5"], "10.0.0.5"],
    ["http://wiki.corp:9000/", ["wiki.corp"], ["10.0.0.5"], REFUSED],
    ["http://a.wiki.corp/", ["*.wiki.corp"], ["10.0.0.5"], "10.0.0.5"],
    ["http://wiki.corp/", ["*.wiki.corp"], ["10.0.0.5"], REFUSED],
    ["http://wiki.corp/", ["10.0.0.0/8"], ["10.0.0.5"], "10.0.0.5"],
    ["http://wiki.corp/", ["10.0.0.0/8"], ["10.0.0.5", "192.168.0.1"], REFUSED],
    ["http://10.9.9.9/", ["10.0.0.0/8"], [], "10.9.9.9"],
    ["http://[fd00::7]/", ["fd00::/8"], [], "fd00::7"],
    ["http://a.org:9000/", ["a.org:9000"], [PUBLIC], PUBLIC],
    ["http://b.org:9000/", ["a.org:9000"], [PUBLIC], "web_refused port"],
  ] as const)("%s with %j, resolved to %j: %s", async (url, allow, addresses, expected) => {
    expect(await way(url, { allow: [...allow] }, addresses)).toBe(expected);
  });

  proves("WEB-1", "no allowed name leads to this machine or to a metadata service", async () => {
    for (const address of ["127.0.0.1", "169.254.169.254", "::1", "fd00:ec2::254", "168.63.129.16", "0.0.0.0"]) {
      expect(await way("http://rebind.org/", { allow: ["rebind.org"] }, [address])).toBe(REFUSED);
      expect(await way("http://rebind.org/", { allow: ["0.0.0.0/0", "::/0"] }, [address])).toBe(REFUSED);
    }
  });
});

describe("web.deny", () => {
  test.each([
    ["http://evil.org/", ["evil.org"]],
    ["http://EVIL.org./", ["evil.org"]],
    ["http://a.evil.org/", ["*.evil.org"]],
    ["http://evil.org:8080/", ["evil.org"]],
    ["http://other.org/", ["93.184.0.0/16"]],
    ["http://93.184.215.14/", [PUBLIC]],
  ])("%s is refused by %j, also when it is allowed", async (url, deny) => {
    expect(await way(url, { deny, allow: ["evil.org", "*.evil.org", "other.org", PUBLIC] })).toBe("web_refused denied");
  });

  test("an entry that is no host and no network is named", () => {
    const { invalid } = readWebRules({
      allow: ["a.org", "127.1", "10.0.0.0/33"],
      deny: ["*.org", "::/129", "b.org:0"],
    });
    expect(invalid).toEqual(["127.1", "10.0.0.0/33", "*.org", "::/129", "b.org:0"]);
  });
});

describe("a strict session", () => {
  proves("WEB-4", "its network.allow holds beside the rules of the web tools", async () => {
    expect(await way("http://a.org/", {}, [PUBLIC], ["a.org"])).toBe(PUBLIC);
    expect(await way("http://b.org/", {}, [PUBLIC], ["a.org"])).toBe("web_refused session_network");
    expect(await way("http://b.org/", { allow: ["b.org"] }, [PUBLIC], ["a.org"])).toBe("web_refused session_network");
    expect(await way("http://a.org/", {}, [PUBLIC], [])).toBe("web_refused session_network");
    expect(await way("http://a.org:8080/", {}, [PUBLIC], ["a.org"])).toBe("web_refused session_network");
    expect(await way("http://10.0.0.5/", {}, [], ["10.0.0.5:80"])).toBe(REFUSED);
  });
});
