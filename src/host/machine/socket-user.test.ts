import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { socketUser, userIn } from "./socket-user.ts";

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1068 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 100 1 0 100 0 0 10 0
   1: 0100007F:1068 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 101 1 0 20 4 30 10 -1
   2: 0100007F:C350 0100007F:1068 01 00000000:00000000 00:00000000 00000000  1001        0 102 1 0 20 4 30 10 -1
   3: 0A00000A:C351 0100007F:1068 01 00000000:00000000 00:00000000 00000000  1002        0 103 1 0 20 4 30 10 -1`;

test("the table of sockets names the user of the other end, and of loopback connections alone", () => {
  expect(userIn(TABLE, { theirPort: 0xc350, ourPort: 0x1068 })).toBe(1001);
  expect(userIn(TABLE, { theirPort: 0xc351, ourPort: 0x1068 })).toBeNull();
  expect(userIn(TABLE, { theirPort: 0xc352, ourPort: 0x1068 })).toBeNull();
  expect(userIn("", { theirPort: 1, ourPort: 2 })).toBeNull();
});

test.skipIf(process.platform !== "linux").each(["127.0.0.1", "::ffff:127.0.0.1"])(
  "a connection of this process to %s belongs to this process's user",
  async (host) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
    const client = connect(port, host);
    const ours = await accepted;
    onTestFinished(() => {
      client.destroy();
      ours.destroy();
      server.close();
    });
    const { remotePort = 0, localPort = 0 } = ours;
    expect(await socketUser({ theirPort: remotePort, ourPort: localPort })).toBe(process.getuid?.());
  },
);
