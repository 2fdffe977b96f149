// An address can come from anybody: what it puts into a form of money, people or settings is said to be from it.

import assert from "node:assert/strict";
import { it } from "node:test";
import { SHOP } from "./cast.ts";
import { openOneGateway } from "./one-gateway.ts";
import { CARD } from "./payouts.ts";
import { anna, wordsIn } from "./people.ts";

const { gateway, own } = await openOneGateway();
const visit = await anna(gateway);
const SAID = /Filled in by the address of this page/;

const LINKS: readonly (readonly [path: string, named: RegExp])[] = [
  [`/my/payouts/new?wallet_to=${CARD}&amount=900`, /each before you go on: .*Amount/],
  ["/my/people/invite?email=eve@example.org&role=owner", /go on: .*Role/],
  [`/my/shops/${SHOP.id}/settings?hook_url=https://eve.example/h`, /go on: .*[Ww]ebhook/],
  ["/desk/people/invite?email=eve@example.org&desk_role=operator", /go on: .*[Rr]ole/],
  ["/desk/imports/new?sure=true", /go on: .*For real/],
];

it("names every field of a form of money, people or settings that the link has filled in", async () => {
  for (const [link, named] of LINKS) {
    const words = wordsIn(await visit.open(link));
    assert.match(words, SAID, link);
    assert.match(words, named, link);
    const plain = wordsIn(await visit.open(link.split("?")[0] ?? ""));
    assert.doesNotMatch(plain, SAID, link);
  }
});

it("a folded form of a page is no exception, nor is a hidden field", async () => {
  const { items } = await own.get("people");
  const id = items[0].person_id;
  assert.match(wordsIn(await visit.open(`/desk/people/${id}?desk_role=viewer`)), SAID);
  assert.doesNotMatch(wordsIn(await visit.open(`/desk/people/${id}`)), SAID);
  assert.match(wordsIn(await visit.open(`/my/keys/new?shop_id=${SHOP.id}`)), SAID);
});

it("what somebody has typed and sent is their own", async () => {
  const path = "/my/payouts/new";
  const { text } = await visit.fill(path, path, { amount: "a lot" });
  assert.doesNotMatch(wordsIn(text), SAID);
});
