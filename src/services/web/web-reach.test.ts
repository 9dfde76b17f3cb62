import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { proves } from "../../../test/support/proves.ts";
import { answering, type WebHere, webHere } from "../../../test/support/web-tools.ts";

const opened: WebHere[] = [];
const open = (...given: Parameters<typeof webHere>): WebHere => {
  const here = webHere(...given);
  opened.push(here);
  return here;
};
afterEach(async () => {
  for (const here of opened.splice(0)) await here[Symbol.asyncDispose]();
});

proves("WEB-2", "a name that is rebound after the check is not asked again: the checked address is used", async () => {
  const asked: string[] = [];
  // The first answer is public, and nothing of it answers here; every later one is this machine.
  const here = open({
    limits: { headersMs: 300 },
    resolve: async (host) => {
      asked.push(host);
      return asked.length === 1 ? ["192.31.196.1"] : ["127.0.0.1"];
    },
  });
  let served = 0;
  const port = await here.serve((request, response) => {
    served += 1;
    answering(200, "text/plain", "secret")(request, response);
  });
  const { text, isError } = await here.fetch({ url: `http://rebind.org:${port}/` }, { allow: [`rebind.org:${port}`] });
  expect([isError, asked, served]).toEqual([true, ["rebind.org"], 0]);
  expect(text).not.toContain("secret");
});

proves("WEB-2", "each redirect is resolved and checked anew", async () => {
  const answers = [["127.0.0.1"], ["169.254.169.254"]];
  const here = open({ resolve: async () => answers.shift() ?? [] });
  const port = await here.serve((_request, response) => void response.writeHead(302, { location: "/next" }).end());
  const { text } = await here.fetch({ url: `http://a.localhost:${port}/` }, { allow: [`a.localhost:${port}`] });
  expect(text).toContain("web_refused");
  expect(answers).toEqual([]);
});

test("a name that resolves to one of two servers on one port reaches the one that was checked", async () => {
  const here = open({ resolve: async () => ["127.0.0.1"] });
  const port = await here.serve((request, response) =>
    answering(200, "text/plain", `for ${request.headers.host}`)(request, response),
  );
  const { text } = await here.fetch({ url: `http://b.localhost:${port}/` }, { allow: [`b.localhost:${port}`] });
  expect(text).toContain(`for b.localhost:${port}`);
});

test("proxies of the environment are not used", async () => {
  const here = open();
  let proxied = 0;
  const proxy = await here.serve((_request, response) => {
    proxied += 1;
    response.end("proxied");
  });
  const port = await here.serve(answering(200, "text/plain", "direct"));
  const before = { ...process.env };
  for (const name of ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"])
    process.env[name] = `http://127.0.0.1:${proxy}`;
  process.env["NODE_USE_ENV_PROXY"] = "1";
  try {
    expect((await here.fetch({ url: `http://127.0.0.1:${port}/` })).text).toContain("direct");
    expect(proxied).toBe(0);
  } finally {
    process.env = before;
  }
});

test.skipIf(!needs("openssl"))("TLS: a trusted certificate for the name is needed", async () => {
  const here = open({ resolve: async () => ["127.0.0.1"] });
  const folder = mkdtempSync(join(tmpdir(), "web-tls-"));
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  const named = ["-subj", "/CN=good.localhost", "-addext", "subjectAltName=DNS:good.localhost,IP:127.0.0.1"];
  execFileSync("openssl", ["req", "-x509", ...curve, ...named, "-keyout", keyFile, "-out", certFile], {
    stdio: "ignore",
  });
  const cert = readFileSync(certFile, "utf8");
  const server = createServer({ key: readFileSync(keyFile), cert }, answering(200, "text/plain", "over TLS"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const settings = { allow: [`good.localhost:${port}`, `bad.localhost:${port}`, `127.0.0.1:${port}`] };
  const fetchAs = async (host: string) => (await here.fetch({ url: `https://${host}:${port}/` }, settings)).text;
  const before = getCACertificates("default");
  try {
    expect(await fetchAs("good.localhost")).toMatch(/certificate that cannot be trusted.*web_unreachable/s);
    setDefaultCACertificates([...before, cert]);
    expect(await fetchAs("good.localhost")).toContain("over TLS");
    expect(await fetchAs("127.0.0.1")).toContain("over TLS");
    expect(await fetchAs("bad.localhost")).toContain("web_unreachable");
    const plain = (await here.fetch({ url: `http://good.localhost:${port}/` }, settings)).text;
    expect(plain).not.toContain("over TLS");
  } finally {
    setDefaultCACertificates(before);
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
