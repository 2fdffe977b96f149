// Requests to addresses that others chose: what may be reached, what is never even tried, and how each
// of them ends.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer, type Server, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { PRIVATE_ADDRESSES, PRIVATE_HOSTS } from "../../test/private-addresses.ts";
import { answerWith, openReceiver, type Receiver } from "../../test/webhook-room.ts";
import { type OutgoingOptions, openOutgoing } from "./outgoing.ts";

const NOTHING = { headers: {}, body: "{}" };
/** A public address that answers to nobody: the sink for reverse look-ups of private addresses. */
const PUBLIC_SINK = "192.175.48.1";

/** The status, or the words of the failure. */
async function outcome(url: string, options: Partial<OutgoingOptions>): Promise<number | string> {
  const outgoing = openOutgoing({ allowLoopback: false, allowedHosts: [], ...options });
  try {
    return (await outgoing.post(url, NOTHING)).status;
  } catch (error) {
    return error instanceof Error ? error.message : "?";
  } finally {
    outgoing.close();
  }
}

describe("an address that is not public", () => {
  let trap: Server;
  let port = 0;
  let trapped = 0;
  const tried: string[] = [];
  /** Others of this process connect to theirs. */
  const ports = new Set<number>();
  const watch = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.on("connectionAttempt", (address, to) => ports.has(to) && tried.push(address));
  };
  before(async () => {
    // On every address of this machine, of both families.
    trap = createServer((socket) => {
      trapped += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => trap.listen(0, "::", resolve));
    const address = trap.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
    ports.add(port);
    subscribe("net.client.socket", watch);
  });
  after(() => {
    unsubscribe("net.client.socket", watch);
    trap.close();
  });
  const assertUntouched = (): void => {
    assert.deepEqual(tried, []);
    assert.equal(trapped, 0);
  };

  it("is never connected to, in whatever way the URL writes it", async () => {
    const resolve = async (): Promise<string[]> => ["127.0.0.1"];
    assert.ok(PRIVATE_HOSTS.length >= 200, String(PRIVATE_HOSTS.length));
    for (const host of PRIVATE_HOSTS) {
      for (const scheme of ["http", "https"]) {
        const url = `${scheme}://${host}:${port}/`;
        assert.equal(await outcome(url, { resolve }), "address not public", url);
      }
    }
    assertUntouched();
  });

  it("is never connected to when a name leads there, also beside a public one", async () => {
    for (const address of PRIVATE_ADDRESSES) {
      for (const answer of [[address], [PUBLIC_SINK, address], [address, PUBLIC_SINK]]) {
        const resolve = async (): Promise<string[]> => answer;
        assert.equal(
          await outcome(`http://hook.test:${port}/`, { resolve }),
          "address not public",
          answer.join(),
        );
      }
    }
    assertUntouched();
  });

  it("is no redirect's way in either", async (t) => {
    // Stands for a public receiver: the one address that is allowed here.
    const redirecting = await openRedirecting("127.0.0.2", `http://127.0.0.1:${port}/`);
    t.after(() => redirecting.close());
    ports.add(redirecting.port);
    assert.equal(await outcome(redirecting.url, { allowedHosts: ["127.0.0.2"] }), 302);
    assert.equal(trapped, 0);
    assert.deepEqual(tried, ["127.0.0.2"]);
    tried.length = 0;
  });

  it("is not reached by a name that changes its answer after it was checked", async () => {
    const answers: string[] = [];
    let asked = 0;
    const resolve = async (): Promise<string[]> => {
      const answer = asked % 2 === 0 ? PUBLIC_SINK : "127.0.0.1";
      asked += 1;
      answers.push(answer);
      return [answer];
    };
    const options = { resolve, timeoutMs: 50 };
    for (let turn = 0; turn < 6; turn += 1) {
      const said = await outcome(`http://rebind.test:${port}/`, options);
      // One question for one request: what was checked is what is connected to.
      assert.equal(answers.length, turn + 1);
      if (turn % 2 === 1) assert.equal(said, "address not public");
    }
    assert.deepEqual(new Set(tried), new Set([PUBLIC_SINK]));
    assert.equal(trapped, 0);
    tried.length = 0;
  });

  it("is reached where the operator allows its name, and the loopback in the sandbox", async () => {
    const receiver = await openReceiver(answerWith(200));
    const named = receiver.url.replace("127.0.0.1", "localhost");
    assert.equal(await outcome(receiver.url, { allowedHosts: ["127.0.0.1"] }), 200);
    assert.equal(await outcome(named, { allowedHosts: ["localhost"] }), 200);
    assert.equal(await outcome(receiver.url, { allowLoopback: true }), 200);
    assert.equal(await outcome(named, { allowLoopback: true }), 200);
    assert.equal(await outcome("http://10.0.0.1/", { allowLoopback: true }), "address not public");
    assert.equal(await outcome("http://0.0.0.0/", { allowLoopback: true }), "address not public");
    await receiver.die();
    tried.length = 0;
  });
});

async function openRedirecting(host: string, location: string) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () =>
      socket.end(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://${host}:${port}/`, port, close: () => server.close() };
}

describe("a request", () => {
  const opened: Receiver[] = [];
  const receiver: typeof openReceiver = async (behave) => {
    const one = await openReceiver(behave);
    opened.push(one);
    return one;
  };
  after(() => Promise.all(opened.map((one) => one.die())));
  const sandbox = { allowLoopback: true };

  it("ends in time, answered or not", async () => {
    const hanging = await receiver(() => {});
    const trickling = await receiver((answer) => answer.writeHead(202).write("a"));
    assert.equal(await outcome(hanging.url, { ...sandbox, timeoutMs: 60 }), "timeout");
    // Its status has to come within that time.
    assert.equal(await outcome(trickling.url, { ...sandbox, timeoutMs: 2_000 }), 202);
  });

  it("says in fixed words what went wrong", async () => {
    const dropping = await receiver((answer) => answer.destroy());
    const babbling = await receiver((answer) => answer.socket?.end("secret words\r\n\r\n"));
    const upgrading = await receiver((answer) =>
      answer.socket?.write("HTTP/1.1 101 x\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    );
    const failing = async (): Promise<string[]> => {
      throw Object.assign(new Error("secret words"), { code: "ESERVFAIL" });
    };
    assert.equal(await outcome(dropping.url, sandbox), "connection reset");
    assert.equal(await outcome(babbling.url, sandbox), "not an HTTP answer");
    assert.equal(await outcome(upgrading.url, sandbox), "connection failed");
    const secure = babbling.url.replace("http:", "https:");
    assert.match(
      String(await outcome(secure, sandbox)),
      /^(certificate or TLS failure|connection reset)$/,
    );
    assert.equal(await outcome("http://a.test/", { resolve: failing }), "name server failed");
    assert.equal(await outcome("http://a.test/", { resolve: async () => [] }), "name not found");
  });

  it("goes to http and https only, and carries no user or password", async () => {
    const urls = ["ftp://a.test/", "file:///etc/passwd", "javascript:1", "//a.test", "", "http://"];
    for (const url of [...urls, "http://user@a.test/", "https://:password@a.test/"]) {
      assert.equal(await outcome(url, {}), "unusable url", url);
    }
  });

  it("uses its connection again, and a fresh one where that was closed meanwhile", async () => {
    const ports: unknown[] = [];
    const good = await receiver((answer) => {
      ports.push(answer.socket?.remotePort);
      // The third request meets a server that has just grown tired of the idle connection.
      if (ports.length === 3) answer.socket?.resetAndDestroy();
      else answer.end("ok");
    });
    const outgoing = openOutgoing({ ...sandbox, allowedHosts: [] });
    for (let turn = 0; turn < 3; turn += 1) {
      assert.equal((await outgoing.post(good.url, NOTHING)).status, 200);
    }
    outgoing.close();
    assert.equal(ports.length, 4);
    assert.equal(new Set(ports.slice(0, 3)).size, 1);
    assert.notEqual(ports[3], ports[2]);
  });

  it("takes no proxy from the environment", async () => {
    const code = `
      import { openOutgoing } from ${JSON.stringify(new URL("outgoing.ts", import.meta.url).href)};
      const outgoing = openOutgoing({ allowLoopback: true, allowedHosts: [] });
      const said = await outgoing.post("http://127.0.0.1:9/", { headers: {}, body: "" })
        .then(({ status }) => status, ({ message }) => message);
      process.stdout.write(String(said));`;
    const proxy = await receiver(answerWith(200));
    const proxyUrl = new URL(proxy.url).origin;
    const env = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: proxyUrl, http_proxy: proxyUrl };
    const args = ["--input-type=module", "-e", code];
    const run = spawnSync(process.execPath, args, { env, encoding: "utf8" });
    assert.equal(run.stdout, "connection refused", run.stderr);
    assert.equal(proxy.received.length, 0);
  });
});
