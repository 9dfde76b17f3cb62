import { Agent, request } from "node:http";

/** Follows a stream of server-sent events until disposed; resolves when the server has answered. */
export async function follow(
  url: string,
  headers: Readonly<Record<string, string>>,
  onItem: (item: string) => void,
): Promise<AsyncDisposable> {
  const agent = new Agent();
  const opened = Promise.withResolvers<void>();
  const asked = request(url, { headers, agent }, (answer) => {
    if (answer.statusCode !== 200) opened.reject(new Error(`${url}: ${answer.statusCode}`));
    let rest = "";
    answer.setEncoding("utf8");
    answer.on("data", (text: string) => {
      const items = (rest + text).split("\n\n");
      rest = items.pop() ?? "";
      for (const item of items) onItem(item);
    });
    // It ends by being cut.
    answer.on("error", () => undefined);
    opened.resolve();
  });
  asked.on("error", opened.reject);
  asked.end();
  await opened.promise;
  return {
    [Symbol.asyncDispose]: async () => {
      asked.destroy();
      agent.destroy();
    },
  };
}
