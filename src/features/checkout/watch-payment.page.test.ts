// The stream behind an open page: it tells of a change, once, and of nothing else.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openTestGateway } from "../../../test/gateway.ts";
import { ONE_ENGINE, openQuietGateway } from "../../../test/one-gateway.ts";
import { pages } from "../../../test/pages.ts";
import { tellPagesJob, watchers } from "./tell-pages.job.ts";

const { gateway } = await openQuietGateway();

const { link, choose, simulate } = pages(gateway);
const watch = async (id: string) => {
  const page = await gateway.call(`/pay/${id}`);
  const path = /data-watch="([^"]+)"/.exec(page.text)?.[1] ?? "";
  const leaving = new AbortController();
  const answer = await fetch(gateway.url + path, { signal: leaving.signal });
  let heard = "";
  const hear = (text: string): void => {
    heard += text;
  };
  void answer.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeTo(new WritableStream({ write: hear }))
    .catch(() => {});
  const events = (): number => heard.match(/event: changed/g)?.length ?? 0;
  /** Until so many were heard. */
  const until = async (count: number): Promise<void> => {
    while (events() < count) {
      await tellPagesJob.run(gateway.app);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { answer, events, until, leave: () => leaving.abort() };
};

it("tells of new details and of the money, each once", async () => {
  const id = await link();
  const stream = await watch(id);
  assert.equal(stream.answer.status, 200);
  assert.equal(stream.answer.headers.get("content-type"), "text/event-stream; charset=utf-8");
  for (let look = 0; look < 3; look += 1) await tellPagesJob.run(gateway.app);
  assert.equal(stream.events(), 0);
  await choose(id);
  await stream.until(1);
  await simulate(id);
  await stream.until(2);
  for (let look = 0; look < 3; look += 1) await tellPagesJob.run(gateway.app);
  assert.equal(stream.events(), 2);
  stream.leave();
});

it("tells of what happened between the page and the stream", async () => {
  const id = await link();
  const page = await gateway.call(`/pay/${id}`);
  const path = /data-watch="([^"]+)"/.exec(page.text)?.[1] ?? "";
  await choose(id);
  const answer = await fetch(gateway.url + path);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  await tellPagesJob.run(gateway.app);
  let heard = "";
  while (!heard.includes("event: changed")) heard += (await reader?.read())?.value ?? "";
  await reader?.cancel();
});

it("hears nothing of another invoice", async () => {
  const [id, other] = [await link(), await link()];
  const [stream, neighbour] = [await watch(id), await watch(other)];
  await choose(other);
  await neighbour.until(1);
  assert.equal(stream.events(), 0);
  stream.leave();
  neighbour.leave();
});

it("a HEAD is answered at once and holds no stream", async () => {
  const id = await link();
  const answer = await fetch(`${gateway.url}/pay/${id}/changes?from=created`, { method: "HEAD" });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type") ?? "", /^text\/event-stream/);
  assert.equal(watchers(gateway.app).count(id), 0);
});

it("one invoice takes 20 streams at most; the next page asks again instead", async () => {
  const id = await link();
  const streams = await Promise.all(Array.from({ length: 20 }, () => watch(id)));
  assert.equal(watchers(gateway.app).count(id), 20);
  const refused = await fetch(`${gateway.url}/pay/${id}/changes?from=created`);
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get("retry-after"), "1");
  for (const { leave } of streams) leave();
});

it("ends when the gateway stops", async () => {
  const own = await openTestGateway(ONE_ENGINE);
  const answer = await fetch(`${own.url}/pay/${await pages(own).link()}/changes?from=created`);
  const ended = answer.text();
  await own.stop();
  assert.match(await ended, /^retry: 2000/);
});
