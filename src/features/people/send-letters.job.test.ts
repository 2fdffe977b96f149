// Letters: whoever is invited, comes back, or is come in as hears of it; no request waits for the mail server, and
// without one nothing is different.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { softwareAuthenticator } from "../../../test/authenticator.ts";
import { openTestGateway } from "../../../test/gateway.ts";
import { openMailServer } from "../../../test/mail-server.ts";
import { manage } from "../../../test/manage.ts";
import { hire, owners } from "../../../test/members.ts";
import { newcomers } from "../../../test/newcomers.ts";
import { ONE_ENGINE, openOneGateway } from "../../../test/one-gateway.ts";
import { hiddenIn, optionsIn, usePasskey } from "../../../test/people.ts";
import { eventually } from "../../../torture/eventually.ts";
import { readConfig } from "../../platform/config.ts";
import { countWaitingLetters } from "../../platform/mail.ts";
import { sendLettersJob } from "./send-letters.job.ts";

const post = await openMailServer();
after(() => post.close());
const settings = { KOPECK_SMTP_URL: post.url, KOPECK_MAIL_FROM: "Kopeck <pay@example.com>" };
const { mail } = readConfig(settings);
const { gateway, own } = await openOneGateway({
  trustedProxies: ["127.0.0.1"],
  mail,
  logLevel: "info",
});
const { app, clock, url } = gateway;
const { anybody, withPasskey } = newcomers(gateway, own);
const { mine } = await owners(gateway);

it("an invitation and a link to come back are in the answer and in a letter, in the reader's language", async () => {
  const name = "Boris www.evil.example/login";
  const wish = { email: "olga@example.com", name, role: "support", language: "ru" };
  const { link } = await mine.post("people", wish);
  const [letter] = await post.lettersTo("olga@example.com");
  assert.ok(letter);
  assert.ok(letter.text.includes(link));
  assert.equal(letter.from, "pay@example.com");
  assert.match(letter.text, /Вас приглашает/);
  const { personId: id } = await hire(gateway, "support");
  const back = await mine.post(`people/${id}/link`);
  const [second] = await post.lettersTo(`${id}@example.org`);
  assert.ok(second?.text.includes(back.link));
  const { link: toDesk } = await own.post("people", {
    email: "igor@example.com",
    name: "Igor",
    desk_role: "viewer",
  });
  const [third] = await post.lettersTo("igor@example.com");
  assert.ok(third);
  assert.ok(third.text.includes(toDesk));
  assert.match(third.text, /An invitation to kopeck\.test/);
});

it("what a merchant is called makes no link in a letter", async () => {
  const { user } = await own.post("users", { name: "pay at https://evil.example/x\r\nBcc: all" });
  await own.post(`users/${user.user_id}/people`, {
    email: "victim@example.com",
    name: "V",
    role: "owner",
    language: "en",
  });
  const [letter] = await post.lettersTo("victim@example.com");
  assert.match(letter?.text ?? "", /pay at https evil example x Bcc +all/);
  assert.doesNotMatch(letter?.text ?? "", /evil\.example/);
});

it("a new browser and a new way in are told; a known browser is not", async () => {
  const { visit, device, email } = await withPasskey();
  await post.lettersTo(email);
  await visit.post("/sign-out");
  assert.equal((await usePasskey(visit, device)).status, 303);
  const other = anybody();
  assert.equal((await usePasskey(other, device)).status, 303);
  const [, told] = await post.lettersTo(email, 2);
  assert.match(told?.text ?? "", /in a browser that was not seen before/);
  assert.match(told?.text ?? "", /203\.0\.\d+\.\d+, Firefox, Linux/);
  const text = await other.open("/security");
  const second = softwareAuthenticator({ origin: url });
  const credential = second.create(optionsIn(text, "/security/passkey") as never);
  await other.post("/security/passkey", { ...hiddenIn(text, "/security/passkey"), credential });
  const [, , added] = await post.lettersTo(email, 3);
  assert.match(added?.text ?? "", /A passkey was added/);
  assert.equal(post.taken.filter(({ to }) => to === email).length, 3);
});

it("a server that refuses is tried three times, one that hangs keeps nobody waiting", async () => {
  post.behave("refuses");
  const invite = (email: string) => own.post("people", { email, name: "N", desk_role: "viewer" });
  const { link } = await invite("refused@example.com");
  assert.match(link, /\/welcome\//);
  for (const [turn, seconds] of [0, 31, 301].entries()) {
    clock.advance(seconds);
    await sendLettersJob.run(app);
    // The gateway's own job may have it under way; how long it then waits begins when that is over.
    const refusals = () =>
      gateway.log.filter((line) => /letter was (?:not taken|given up)/.test(line));
    await eventually("it was refused", () => refusals().length > turn);
  }
  clock.advance(3_600);
  await sendLettersJob.run(app);
  await eventually("none is under way", () => countWaitingLetters(app) === 0);
  assert.equal(countWaitingLetters(app), 0);
  const { text } = await gateway.call("/metrics");
  assert.match(text, /^kopeck_letters_total\{outcome="given_up"\} 1$/m);
  post.behave("hangs");
  assert.match((await invite("hangs@example.com")).link, /\/welcome\//);
});

it("letters that are lost at the end are counted, also one that is under way, and the log has the server's number", async () => {
  const server = await openMailServer();
  const { mail: hers } = readConfig({ ...settings, KOPECK_SMTP_URL: server.url });
  const ending = await openTestGateway(ONE_ENGINE, { mail: hers, logLevel: "info" });
  const alone = manage(ending);
  const lines = ending.log;
  const invite = (email: string) => alone.post("people", { email, name: "N", desk_role: "viewer" });
  server.behave("refuses");
  await invite("first@example.com");
  await eventually("it was refused", () => lines.some((line) => /was not taken/.test(line)));
  assert.match(lines.find((line) => /was not taken/.test(line)) ?? "", /"status":550/);
  server.behave("hangs");
  const calls = server.calls();
  await invite("second@example.com");
  await eventually("it is under way", () => server.calls() > calls);
  await ending.stop();
  await server.close();
  assert.match(lines.find((line) => /letters were not sent/.test(line)) ?? "", /"lost":2/);
  assert.doesNotMatch(lines.join(""), /example\.com/);
});

it("one address is not buried in letters, and the link is there all the same", async () => {
  const { personId } = await withPasskey().then(({ id }) => ({ personId: id }));
  for (let one = 0; one < 15; one += 1) {
    assert.match((await own.post(`people/${personId}/link`)).link, /\/welcome\//);
  }
  const { text } = await gateway.call("/metrics");
  assert.match(text, /^kopeck_letters_total\{outcome="left_out"\} \d+$/m);
});

it("without a mail server nothing is written, and nothing waits", async () => {
  const { gateway: plain, own: alone } = await openOneGateway();
  await alone.post("people", { email: "a@example.com", name: "A", desk_role: "viewer" });
  assert.equal(countWaitingLetters(plain.app), 0);
  assert.doesNotMatch((await plain.call("/metrics")).text, /kopeck_letters_total\{/);
});
