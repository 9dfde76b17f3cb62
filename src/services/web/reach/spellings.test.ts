import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { toNomosError } from "../../../contract/index.ts";
import { findWay } from "./find-way.ts";
import { readWebRules } from "./web-rules.ts";
import { readWebUrl } from "./web-url.ts";

/** Every name leads to a public address, so that only the spelling can be why an address is refused. */
const REACH = { rules: readWebRules({}), session: null, resolve: async () => ["93.184.215.14"] };

async function outcome(url: string): Promise<string> {
  try {
    const [address] = await findWay(REACH, readWebUrl(url));
    return `reached ${address}`;
  } catch (thrown) {
    return toNomosError(thrown).code;
  }
}

const host = (...names: readonly string[]) => names.map((name) => `http://${name}/`);

const REFUSED: readonly string[] = [
  // this machine
  ...host("127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "127.1.", "127.255.255.254", "2130706433", "2130706433."),
  ...host(
    "0x7f000001",
    "0x7F000001",
    "0x7f.1",
    "0x7f.0x0.0x0.0x1",
    "0x7f.0.0.1",
    "017700000001",
    "0177.0.0.1",
    "0177.1",
  ),
  ...host(
    "0177.0x0.0.1",
    "00000177.0.0.01",
    "127.0.0.0x1",
    "127.0x000001",
    "0x7f.0.01",
    "127.000.000.001",
    "0",
    "0.0.0.0",
  ),
  ...host(
    "0.",
    "0x0",
    "00",
    "0.0",
    "0x",
    "0.1.2.3",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "LocalHost.",
    "a.localhost",
  ),
  ...host(
    "a.b.localhost.",
    "loc%61lhost",
    "%6c%6f%63%61%6c%68%6f%73%74",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "ｌｏｃａｌｈｏｓｔ",
    "lo\u00adcalhost",
  ),
  ...host(
    "①②⑦.⓪.⓪.①",
    "１２７.０.０.１",
    "127。0。0。1",
    "127．0．0．1",
    "127｡0｡0｡1",
    "%31%32%37.0.0.1",
    "０ｘ７ｆ.1",
    "٠.0.0.1",
  ),
  // IPv6 forms of it
  ...host("[::1]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::]", "[0::0]", "[::127.0.0.1]"),
  ...host("[::7f00:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:127.0.0.1]", "[0:0:0:0:0:ffff:127.0.0.1]"),
  ...host(
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
  ),
  ...host(
    "[2002:7f00:0001::1]",
    "[2001:0:7f00:1::]",
    "[2001::1]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::8.8.8.8]",
    "[2002:808:808::]",
  ),
  ...host(
    "[::1%25lo]",
    "[::1%lo]",
    "[fe80::1%25eth0]",
    "[fe80::1%eth0]",
    "[::1",
    "::1]",
    "::1",
    "[127.0.0.1]",
    "[localhost]",
  ),
  // private networks
  ...host(
    "10.0.0.1",
    "10.255.255.255",
    "10.1",
    "012.0.0.1",
    "0xa.0.0.1",
    "167772161",
    "172.16.0.1",
    "172.31.255.255",
    "172.16.1",
  ),
  ...host(
    "0xac.0x10.0.1",
    "192.168.0.1",
    "192.168.1",
    "0xc0a80001",
    "3232235521",
    "0300.0250.0.1",
    "192.168.65281",
    "1９2.168.0.1",
  ),
  ...host("100.64.0.1", "100.127.255.255", "100.100.100.200", "[fc00::1]", "[fd00::1]", "[fdff:ffff::1]", "[fec0::1]"),
  // link-local and cloud metadata
  ...host(
    "169.254.169.254",
    "169.254.169.254.",
    "169.254.1",
    "0xa9fea9fe",
    "2852039166",
    "0251.0376.0251.0376",
    "169.254.0xa9fe",
  ),
  ...host(
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[fe80::1]",
    "[febf::1]",
    "[fd00:ec2::254]",
    "[fd20:ce::254]",
  ),
  ...host("168.63.129.16", "0xa83f8110", "192.0.0.192", "①⑥⑨.②⑤④.①⑥⑨.②⑤④", "169。254。169。254"),
  // reserved, documentation, multicast, broadcast
  ...host(
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
  ),
  ...host("239.255.255.250", "240.0.0.1", "255.255.255.255", "4294967295", "0xffffffff", "037777777777", "[ff02::1]"),
  ...host("[2001:db8::1]", "[3fff::1]", "[100::1]", "[5f00::1]", "[4000::1]", "[8000::1]", "[1::]"),
  // what only looks like another host
  ...["http://example.org@127.0.0.1/", "http://example.org:80@127.0.0.1/", "http://127.0.0.1@example.org/"],
  ...[
    "http://example.org#@127.0.0.1/ x",
    "http://127.0.0.1:80@example.org/",
    "http://:@127.0.0.1/",
    "http://@127.0.0.1/",
  ],
  ...[
    "http:127.0.0.1/",
    "http:/127.0.0.1/",
    "http:///127.0.0.1/",
    "http:\\\\127.0.0.1\\",
    "http://example.org\\@127.0.0.1/",
  ],
  ...[
    "http://127.0.0.1\t/",
    "http://127.0.0.1\n.example.org/",
    "ht\ntp://127.0.0.1/",
    "http://127.0.0.1%00.example.org/",
  ],
  ...["http://127.0.0.1%0d%0a/", "http://127.0.0.1%2f@example.org/", "//127.0.0.1/", "127.0.0.1", "127.0.0.1:80/", ""],
  ...[
    "HTTP://127.0.0.1/",
    "https://127.0.0.1/",
    "https://localhost/",
    "http://127.0.0.1:8080/",
    "http://127.0.0.1:0080/",
  ],
  ...["http://[::ffff:127.0.0.1]:8080/", "http://0x7f.1:443/x?y#z", "http://256.256.256.256/", "http://127.0.0.1.1/"],
  // other protocols, and ports where the web is not
  ...["file:///etc/passwd", "ftp://example.org/", "gopher://example.org/", "data:text/html,x", "javascript:alert(1)"],
  ...[
    "ws://example.org/",
    "blob:http://example.org/x",
    "about:blank",
    "http://example.org:22/",
    "http://example.org:6379/",
  ],
  ...[
    "http://example.org:25/",
    "http://example.org:0/",
    "http://example.org:65536/",
    "http://example.org:1/",
    "http:// /",
  ],
  ...["http://.../", "http://-/", "http://a..b/", `http://${"a".repeat(3000)}.org/`, "http://user:pw@example.org/"],
];

const REACHED: readonly string[] = [
  ...host(
    "example.org",
    "EXAMPLE.org.",
    "8.8.8.8",
    "0x08080808",
    "134744072",
    "[2606:4700::1111]",
    "xn--bcher-kva.example",
  ),
  ...host("127.0.0.1.example.org", "localhost.example.org", "10.example.org", "1e100.net", "bücher.example"),
  ...[
    "https://example.org:443/",
    "http://example.org:8080/",
    "https://example.org:8443/a?b=c#d",
    "http://127-0-0-1.example.org/",
  ],
];

describe("addresses in every spelling", () => {
  test("there are enough of them, and no spelling twice", () => {
    expect(REFUSED.length).toBeGreaterThanOrEqual(120);
    expect(new Set(REFUSED).size).toBe(REFUSED.length);
  });

  for (const url of REFUSED)
    proves("WEB-1", `${JSON.stringify(url.slice(0, 80))} is refused`, async () => {
      expect(await outcome(url)).toMatch(/^web_(refused|url_invalid)$/);
    });

  test.each(REACHED)("%s is reached", async (url) => {
    expect(await outcome(url)).toMatch(/^reached /);
  });

  proves("WEB-1", "no random spelling of a private address is reached", async () => {
    await fc.assert(
      fc.asyncProperty(privateV4(), spelledV4(), async (address, spell) => {
        expect(await outcome(`http://${spell(address)}/`)).toMatch(/^web_(refused|url_invalid)$/);
      }),
      { numRuns: 2000 },
    );
  });

  proves("WEB-1", "no random IPv6 address that embeds a private one is reached", async () => {
    const prefixes = ["::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::", "2002:", "fe80::", "fd00::"];
    await fc.assert(
      fc.asyncProperty(privateV4(), fc.constantFrom(...prefixes), fc.boolean(), async (address, prefix, isUpper) => {
        const [a, b, c, d] = address;
        const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
        const text = prefix === "2002:" ? `2002:${hex}::` : `${prefix}${hex}`;
        expect(await outcome(`http://[${isUpper ? text.toUpperCase() : text}]/`)).toBe("web_refused");
      }),
      { numRuns: 500 },
    );
  });
});

type V4 = readonly [number, number, number, number];

function privateV4(): fc.Arbitrary<V4> {
  const byte = fc.integer({ min: 0, max: 255 });
  return fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127), byte, byte, byte),
    fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
    fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
    fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
  );
}

/** Any number of parts, each in any base, in any alphabet of digits, with any dot. */
function spelledV4(): fc.Arbitrary<(address: V4) => string> {
  const base = fc.constantFrom("dec", "oct", "hex", "HEX");
  return fc
    .record({
      parts: fc.integer({ min: 1, max: 4 }),
      bases: fc.tuple(base, base, base, base),
      zeros: fc.integer({ min: 0, max: 5 }),
      dot: fc.constantFrom(".", "。", "．", "｡", "%2e", "%2E"),
      digits: fc.constantFrom("plain", "wide", "circled", "encoded"),
      end: fc.constantFrom("", "."),
    })
    .map(({ parts, bases, zeros, dot, digits, end }) => (address) => {
      const last = address.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
      const numbers = [...address.slice(0, parts - 1), last];
      const spelled = numbers.map((number, at) => inAlphabet(inBase(number, bases[at] ?? "dec", zeros), digits));
      return `${spelled.join(dot)}${end}`;
    });
}

function inBase(number: number, base: string, zeros: number): string {
  if (base === "oct") return `0${"0".repeat(zeros)}${number.toString(8)}`;
  if (base === "dec") return String(number);
  const text = `0x${"0".repeat(zeros)}${number.toString(16)}`;
  return base === "HEX" ? text.toUpperCase().replace("0X", "0x") : text;
}

function inAlphabet(text: string, digits: string): string {
  if (digits === "plain") return text;
  return [...text]
    .map((char) => {
      const code = char.charCodeAt(0);
      if (digits === "encoded") return `%${code.toString(16)}`;
      if (digits === "wide") return String.fromCharCode(code + 0xfee0);
      return /[1-9]/.test(char) ? String.fromCharCode(0x2460 + code - 0x31) : char;
    })
    .join("");
}
