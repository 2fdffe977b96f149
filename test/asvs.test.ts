// OWASP ASVS 5.0, number by number: shown here, or named by the test that shows it. A test that was renamed
// fails here, so that no number is left without its proof.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { checkPassword, passwordProblem } from "../src/platform/password.ts";
import { openOneGateway } from "./one-gateway.ts";
import { visitor } from "./people.ts";

const people = (file: string): string => `src/features/people/${file}.test.ts`;
const SIGN_IN = people("sign-in.page");
const GUESSES = people("sign-in");
const SESSION = people("session");
const SECURITY = people("security.page");
const WELCOME = "src/features/merchants/welcome.page.test.ts";
const MANAGED = people("manage-people.endpoint");
const LETTERS = people("send-letters.job");
const ASSETS = people("assets.page");
const STRANGERS = "test/strangers.test.ts";
const SANDBOX = "src/features/sandbox/come-in.page.test.ts";

const COOKIES = "gives cookies that only this host gets";
const HOSTS = "has pages of people on their own hosts alone";
const FORMS = "takes a form that stands on our own page";
const POLICY = "is what a page names, kept for ever, and all that its policy allows";
const ENDS = "ends when it was left alone for an hour";
const RENEWED = "has another token after every proof";
const BOTH = "opens with both, with each code once";
const HUNDREDS = "hundreds from a hundred addresses";
const SAME = "answers somebody who is not there as somebody who is wrong";
const ROLES = "is of no use at the desk as soon as the role is taken";
const STOLEN = "what is stolen and older than ten minutes";
const WAYS = "adds a passkey, which signs out everywhere else";
const PLACES = "shows where one is signed in, and signs out there";
const LOST = "brings back who has lost everything";
const LINK_ENDS = "ends by its time, by another link";

/** Number, what it wants, and the test that shows it. */
const SHOWN: readonly (readonly [number: string, wants: string, file: string, name: string])[] = [
  ["3.3.1", "cookies are Secure, with the __Host- prefix", STRANGERS, COOKIES],
  ["3.3.2", "cookies are SameSite", STRANGERS, COOKIES],
  ["3.3.3", "cookies belong to one host", STRANGERS, COOKIES],
  ["3.3.4", "no script sees a session's cookie", STRANGERS, COOKIES],
  ["3.4.1", "HSTS with every answer", STRANGERS, "says with every answer"],
  ["3.4.3", "a policy of contents", ASSETS, POLICY],
  ["3.4.6", "no frame", ASSETS, POLICY],
  ["3.5.1", "forms of others are refused", STRANGERS, FORMS],
  ["3.5.3", "what costs is given to no other site", STRANGERS, "gives no file of rows"],
  ["3.5.4", "hosts of their own", STRANGERS, HOSTS],
  ["3.7.2", "redirects stay inside", SIGN_IN, "leads to a path of ours"],
  ["6.1.1", "guesses lock nobody out", GUESSES, HUNDREDS],
  ["6.2.1", "short passwords are refused", WELCOME, "takes no password that is short"],
  ["6.2.2", "a password can be changed", SECURITY, "replaces the password"],
  ["6.2.3", "changing one wants a proof", SESSION, STOLEN],
  ["6.3.1", "guessing is slow", GUESSES, "waits after five wrong ones"],
  ["6.3.2", "no default accounts", SANDBOX, "is not there in live mode"],
  ["6.3.3", "two factors", SIGN_IN, BOTH],
  ["6.3.4", "no way in that is weaker", SIGN_IN, "takes a recovery code alone of who has passkeys"],
  ["6.3.7", "a person is told of changes", LETTERS, "a new browser and a new way in are told"],
  ["6.3.8", "the same answer for everybody", SIGN_IN, SAME],
  ["6.4.1", "links end", WELCOME, LINK_ENDS],
  ["6.4.4", "recovery is as strong as joining", WELCOME, LOST],
  ["6.4.6", "who helps sets no password", WELCOME, LOST],
  ["6.5.1", "each code once", SIGN_IN, BOTH],
  ["6.5.2", "recovery codes of 120 bits, each once", SIGN_IN, "takes a recovery code once"],
  ["6.5.4", "ten codes, made by chance", WELCOME, "opens once, however often"],
  ["6.7.2", "a challenge is good once", SIGN_IN, "is refused when what it signed is old"],
  ["7.2.1", "sessions are proven here", SESSION, ROLES],
  ["7.2.2", "tokens are fresh", SESSION, RENEWED],
  ["7.2.3", "tokens of 192 bits", STRANGERS, COOKIES],
  ["7.2.4", "another token at each proof", SESSION, RENEWED],
  ["7.3.1", "idle sessions end", SESSION, ENDS],
  ["7.3.2", "old sessions end", SESSION, ENDS],
  ["7.4.1", "signing out ends it", SIGN_IN, "comes from a link to the desk, leaves"],
  ["7.4.2", "disabling ends all", SESSION, ROLES],
  ["7.4.3", "a changed way in ends the others", SECURITY, WAYS],
  ["7.4.5", "operators end sessions of others", MANAGED, "signs somebody out everywhere"],
  ["7.5.1", "ways in change after a proof", SESSION, STOLEN],
  ["7.5.2", "one sees and ends one's sessions", SECURITY, PLACES],
  ["7.5.3", "dangerous acts want a proof", SESSION, STOLEN],
  ["8.2.1", "every door checks the role", "test/principals.test.ts", "whoever may not is refused"],
  ["8.2.2", "nobody touches what is another's", SECURITY, "removes nobody else's passkey"],
  ["8.3.2", "a taken role is gone at once", SESSION, ROLES],
  ["16.3.1", "sign-ins stand in the log", WELCOME, "opens once, however often"],
];

describe("ASVS 5.0", () => {
  for (const [number, wants, file, name] of SHOWN) {
    it(`${number} ${wants}`, () => {
      const text = readFileSync(join(import.meta.dirname, "..", file), "utf8");
      assert.match(text, new RegExp(`\\bit\\(\\s*"${name}`), `${file} has no such test`);
    });
  }

  it("6.2.4, 6.2.5, 6.2.9, 6.2.11: what is common or personal is refused, and nothing else", () => {
    const about = ["anna@example.com", "Anna Petrova"];
    const problem = (text: string) => passwordProblem(text, { about });
    assert.equal(problem("passwordpassword"), "password_common");
    assert.equal(problem("kopeckkopeck"), "password_personal");
    assert.equal(problem("all lower case letters"), undefined);
    assert.equal(problem("я".repeat(3) + " длинная фраза без цифр ".repeat(2)), undefined);
    assert.equal(problem("ab cd ef gh ".repeat(8).slice(0, 64)), undefined);
  });

  it("6.2.8: a password is taken exactly as it was typed", async () => {
    const { hashPassword } = await import("../src/platform/password.ts");
    const hash = await hashPassword("Case and  spaces count");
    assert.equal((await checkPassword("Case and  spaces count", hash)).isRight, true);
    assert.equal((await checkPassword("case and  spaces count", hash)).isRight, false);
  });

  it("6.2.6, 6.2.7, 7.4.4: fields are of their kinds, can be pasted into; sign-out is a form", async () => {
    const { gateway } = await openOneGateway();
    const text = await visitor(gateway).open("/sign-in");
    assert.match(text, /<input type="password"[^>]*autocomplete="current-password"/);
    assert.match(text, /autocomplete="one-time-code"/);
    assert.doesNotMatch(text, /onpaste|autocomplete="off"/);
    const { anna } = await import("./people.ts");
    const page = await (await anna(gateway)).open("/desk/transfers");
    assert.match(page, /<form[^>]*method="post"[^>]*action="\/sign-out"/);
  });

  it("6.1.3, 7.1.1, 7.1.2: ways in, ends of sessions and how many there may be are written down", () => {
    const text = readFileSync(join(import.meta.dirname, "../docs/signing-in.md"), "utf8");
    for (const said of ["Ways in", "12 hours", "14 days", "Several sessions at once are allowed"]) {
      assert.ok(text.includes(said), said);
    }
  });
});
