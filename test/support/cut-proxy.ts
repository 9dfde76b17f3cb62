import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A proxy to a PostgreSQL server that can cut, stall or change a connection. */
export interface CutProxy extends AsyncDisposable {
  /** The server's address through this proxy. */
  readonly url: string;
  /** Called for every piece that a client sends, until it is replaced. */
  readonly onSent: (rule: SentRule) => void;
  /** Changes the server's answers on their way. */
  readonly onAnswer: (change: (piece: Buffer) => Buffer) => void;
  /** Cuts all connections. New ones are accepted. */
  readonly cutAll: () => void;
  /** From now on nothing passes and no error is sent; `false` lets new connections through again. */
  readonly goDead: (isDead: boolean) => void;
}

/**
 * `pass`: forward it. `cut`: close instead. `lose-answer`: forward it, then close once the server had time to act.
 * `hang`: do not forward. `hang-after`: forward it, then carry nothing more on the open connection. `late`: as `hang`,
 * but it arrives long after the client has given up the connection.
 */
export type Verdict = "pass" | "cut" | "lose-answer" | "hang" | "hang-after" | "late";
export type SentRule = (piece: Buffer, wire: object) => Verdict;

const TIME_TO_ACT_MS = 150;
/** Longer than a client waits for an answer in the tests of cut connections. */
export const LATE_MS = 2500;

export async function startCutProxy(serverUrl: string): Promise<CutProxy> {
  const target = new URL(serverUrl);
  const wires = new Set<{ readonly client: Socket; readonly server: Socket; isDead: boolean }>();
  let rule: SentRule = () => "pass";
  let change: (piece: Buffer) => Buffer = (piece) => piece;
  let isDead = false;

  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    const wire = { client, server, isDead };
    wires.add(wire);
    const cut = (): void => {
      client.destroy();
      server.destroy();
      wires.delete(wire);
    };
    for (const end of [client, server]) end.on("error", cut).on("close", () => !wire.isDead && cut());
    server.on("data", (piece: Buffer) => {
      if (!wire.isDead && !isDead) client.write(change(piece));
    });
    client.on("data", (piece: Buffer) => {
      if (wire.isDead || isDead) return;
      const verdict = rule(piece, wire);
      if (verdict === "cut") return cut();
      if (verdict !== "hang" && verdict !== "late") server.write(piece);
      if (verdict === "pass") return;
      wire.isDead = true;
      if (verdict === "late") setTimeout(() => server.write(piece), LATE_MS);
      if (verdict === "lose-answer") setTimeout(cut, TIME_TO_ACT_MS);
    });
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  target.port = String(address.port);
  const url = target.href;
  target.port = new URL(serverUrl).port;

  const cutAll = (): void => {
    for (const { client, server } of wires) {
      client.destroy();
      server.destroy();
    }
    wires.clear();
  };
  return {
    url,
    onSent: (given) => {
      rule = given;
    },
    onAnswer: (given) => {
      change = given;
    },
    cutAll,
    goDead: (given) => {
      isDead = given;
      if (given) for (const wire of wires) wire.isDead = true;
    },
    [Symbol.asyncDispose]: async () => {
      cutAll();
      proxy.close();
      await once(proxy, "close");
    },
  };
}
