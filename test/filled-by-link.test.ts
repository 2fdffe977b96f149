// An address can come from anybody: what it puts into a form of money, people or settings is said to be from it.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { it } from "node:test";
import { SHOP } from "./cast.ts";
import { openOneGateway } from "./one-gateway.ts";
import { CARD } from "./payouts.ts";
import { anna, fieldsIn, wordsIn } from "./people.ts";

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

it("200: no link says what a form has shown: what somebody changes there is changed, or they are told", async () => {
  const { person } = await own.post("people", {
    ...{ email: "linked@desk.example", name: "Linked", language: "en", desk_role: "cashier" },
  });
  const page = `/desk/people/${person.person_id}`;
  const links = [
    `${page}?was=desk_role.${plainDigest("none")}`,
    `${page}?was=desk_role.${plainDigest("none")}&desk_role=cashier`,
  ];
  for (const link of links) {
    await own.post(page.replace("/desk/", ""), { desk_role: "cashier" });
    const action = `${page}/change`;
    let seen = await visit.post(action, {
      ...{ ...fieldsIn(await visit.open(link), action), desk_role: "none" },
    });
    if (seen.status === 409)
      seen = await visit.post(action, { ...fieldsIn(seen.text, action), desk_role: "none" });
    assert.equal(seen.status, 303, wordsIn(seen.text));
    const { desk_role } = await own.get(page.replace("/desk/", ""));
    assert.equal(desk_role, null, link);
  }
});

it("a limit that a link has foretold is lowered all the same", async () => {
  const [{ requisite_id: id }] = (await own.get("requisites")).items;
  await own.post(`requisites/${id}`, { max_day_sum: 900_000 });
  const action = `/desk/requisites/${id}/change`;
  const link = `/desk/requisites/${id}?was=max_day_sum.${plainDigest("50000")}`;
  const fields = { ...fieldsIn(await visit.open(link), action), max_day_sum: "50000" };
  const seen = await visit.post(action, fields);
  if (seen.status === 409) await visit.post(action, fieldsIn(seen.text, action));
  assert.equal((await own.get(`requisites/${id}`)).max_day_sum, 50_000);
});

/** What anybody can compute of a value. */
function plainDigest(value: string): string {
  return createHash("sha256").update(value).digest("base64url").slice(0, 11);
}
