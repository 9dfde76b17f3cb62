import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** A reverse proxy with TLS, as nginx or Caddy would be one: keeps the Host, adds `X-Forwarded-*`, passes everything on. */
export interface TlsProxy extends AsyncDisposable {
  /** On loopback; the certificate is for `name`. */
  readonly url: string;
  readonly port: number;
  readonly ca: string;
}

export async function startTlsProxy(name: string, folder: string, target: string): Promise<TlsProxy> {
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const files = ["-keyout", keyFile, "-out", certFile];
  execFileSync("openssl", ["req", "-x509", ...curve, "-days", "1", ...subject, ...files], { stdio: "ignore" });
  const ca = readFileSync(certFile, "utf8");
  const { hostname, port: targetPort } = new URL(target);
  const server = createServer({ key: readFileSync(keyFile), cert: ca }, (asked, answer) => {
    const { method, url: path } = asked;
    const headers = { ...asked.headers, "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https" };
    const onward = request({ hostname, port: targetPort, path, method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answer.flushHeaders();
      answered.pipe(answer);
    });
    onward.once("error", () => answer.destroy());
    answer.once("close", () => onward.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    ca,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
