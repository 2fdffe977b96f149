// Coming in and leaving, by each way; and whoever tries to without being the one.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newcomers } from "../../../test/newcomers.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { hiddenIn, optionsIn, PASSWORD, usePasskey, type Visitor } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway({ trustedProxies: ["127.0.0.1"] });
const { clock, app } = gateway;
const { anybody, withPassword, withPasskey, atDesk, anyOther, weaken } = newcomers(gateway, own);

const auditOf = async (id: string): Promise<string[]> => {
  const { items } = await own.get("audit?limit=50");
  const rows = items as readonly { subject: string; act: string }[];
  return rows.filter(({ subject }) => subject === id).map(({ act }) => act);
};

describe("by a passkey", () => {
  it("comes from a link to the desk, leaves, and comes back", async () => {
    const { visit, device, id } = await withPasskey();
    assert.equal(await atDesk(visit), 200);
    const left = await visit.post("/sign-out");
    assert.equal(left.location, "/sign-in");
    assert.match(left.headers.get("set-cookie") ?? "", /^kopeck=; .*Max-Age=0/);
    assert.equal(
      (await visit.get("/desk/transfers")).location,
      "/sign-in?then=%2Fdesk%2Ftransfers",
    );
    const back = await usePasskey(visit, device, "/sign-in?then=/desk/transfers");
    assert.deepEqual([back.status, back.location], [303, "/desk/transfers"]);
    assert.equal(await atDesk(visit), 200);
    assert.ok((await auditOf(id)).includes("person.sign_in"));
  });

  it("is refused when what it signed is old, used, of another place or of another person", async () => {
    const { device, email } = await withPasskey();
    const other = await withPasskey();
    const sent = async (visit: Visitor, bend: Parameters<typeof device.get>[1]) =>
      (await usePasskey(visit, device, "/sign-in", bend)).status;
    assert.equal(await sent(anybody(), { clientData: { origin: "https://evil.example" } }), 401);
    assert.equal(await sent(anybody(), { rpId: "evil.example" }), 401);
    assert.equal(await sent(anybody(), { flags: 1 }), 401);
    assert.equal(await sent(anybody(), { clientData: { challenge: "A".repeat(80) } }), 401);
    const late = anybody();
    const text = await late.open("/sign-in");
    const credential = device.get(optionsIn(text, "/sign-in/passkey") as never);
    const form = { ...hiddenIn(text, "/sign-in/passkey"), credential };
    clock.advance(301);
    assert.equal((await late.post("/sign-in/passkey", form)).status, 401);
    // Signed in time, it opens once.
    const text2 = await late.open("/sign-in");
    const again = {
      ...hiddenIn(text2, "/sign-in/passkey"),
      credential: device.get(optionsIn(text2, "/sign-in/passkey") as never),
    };
    assert.equal((await late.post("/sign-in/passkey", again)).status, 303);
    assert.equal((await anybody().post("/sign-in/passkey", again)).status, 401);
    // Somebody else's passkey proves nothing of the one who has signed in.
    const proof = await other.visit.open("/prove");
    const foreign = device.get({
      ...(optionsIn(proof, "/prove/passkey") as object),
      allowCredentials: [],
    } as never);
    const hidden = hiddenIn(proof, "/prove/passkey");
    const refused = await other.visit.post("/prove/passkey", { ...hidden, credential: foreign });
    assert.equal(refused.status, 401, email);
  });
});

describe("by a password and a code", () => {
  it("opens with both, with each code once, and with neither alone", async () => {
    const { email, code } = await withPassword();
    const visit = anybody();
    const signIn = (form: Record<string, string>) => visit.post("/sign-in", { email, ...form });
    assert.equal((await signIn({ password: PASSWORD })).status, 401);
    assert.equal((await signIn({ password: PASSWORD, code: "000000" })).status, 401);
    assert.equal((await signIn({ password: "", code: code() })).status, 401);
    assert.equal((await signIn({ password: "another long password", code: code() })).status, 401);
    assert.equal(await atDesk(visit), 303);
    const used = code();
    const done = await signIn({ password: PASSWORD, code: used, then: "/desk" });
    assert.deepEqual([done.status, done.location], [303, "/desk"]);
    assert.equal(
      (await anybody().post("/sign-in", { email, password: PASSWORD, code: used })).status,
      401,
    );
  });

  it("takes a recovery code once in the place of a code", async () => {
    const { email, codes } = await withPassword();
    assert.equal(codes.length, 10);
    const form = {
      email,
      password: PASSWORD,
      code: codes[3]?.toLowerCase().replaceAll("-", " ") ?? "",
    };
    assert.equal((await anybody().post("/sign-in", { ...form, password: "" })).status, 401);
    assert.equal((await anybody().post("/sign-in", form)).status, 303);
    assert.equal((await anybody().post("/sign-in", form)).status, 401);
  });

  it("takes a recovery code alone of who has passkeys only, once", async () => {
    const { email, codes } = await withPasskey();
    const form = { email, password: "", code: codes[0] ?? "" };
    assert.equal((await anybody().post("/sign-in", { ...form, password: PASSWORD })).status, 401);
    assert.equal((await anybody().post("/sign-in", form)).status, 303);
    assert.equal((await anybody().post("/sign-in", form)).status, 401);
  });

  it("answers somebody who is not there as somebody who is wrong", async () => {
    const { email, id, code } = await withPassword();
    const ask = async (form: Record<string, string>) => {
      const { status, text } = await anybody().post("/sign-in", form);
      const same = text.replaceAll(/value="[^"]*"|data-options="[^"]*"/g, "");
      return [status, same];
    };
    const wrong = await ask({ email, password: "wrong wrong wrong", code: code() });
    assert.deepEqual(
      await ask({ email: "nobody@example.com", password: PASSWORD, code: code() }),
      wrong,
    );
    assert.deepEqual(await ask({ email, password: PASSWORD, code: "123" }), wrong);
    await own.post(`people/${id}`, { disabled: true });
    assert.deepEqual(await ask({ email, password: PASSWORD, code: code() }), wrong);
  });

  it("hashes a password anew whose hash is weaker than today's", async () => {
    const { email, id, code } = await withPassword();
    await weaken(id);
    assert.equal(
      (await anybody().post("/sign-in", { email, password: PASSWORD, code: code() })).status,
      303,
    );
    const [row] = await app.db.query<{ password: string }>(
      "select password from people where id = $1",
      [id],
    );
    assert.match(row?.password ?? "", /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });
});

it("leads to a path of ours and nowhere else", async () => {
  const { device } = await withPasskey();
  const away = ["//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil.example"];
  const odd = [
    "\\\\evil",
    "/a\r\nset-cookie: x=1",
    "javascript:alert(1)",
    "",
    "desk",
    "/ desk",
    `/${"a".repeat(5_000)}`,
  ];
  for (const then of [...away, ...odd]) {
    const visit = anybody();
    const { location } = await usePasskey(
      visit,
      device,
      `/sign-in?then=${encodeURIComponent(then)}`,
    );
    assert.equal(location, "/start", then);
    const known = await visit.get(`/sign-in?then=${encodeURIComponent(then)}`);
    assert.equal(known.location, "/start", then);
  }
  const visit = anybody();
  assert.equal((await visit.get("/start")).location, "/sign-in");
  assert.equal(
    (await usePasskey(visit, device, "/sign-in?then=/desk/transfers%3Fstate=held")).location,
    "/desk/transfers?state=held",
  );
  assert.equal((await visit.get("/start")).location, "/desk");
});

it("never fails by what a form holds", async () => {
  const { visit } = await withPasskey();
  const paths = [
    "sign-in",
    "sign-in/passkey",
    "sign-in/sandbox",
    "prove",
    "prove/passkey",
    "welcome/x/passkey",
    "welcome/%00/password",
    "security/settings",
    "security/remove-passkey",
    "security/password",
    "security/end-session",
  ];
  const names = [
    "email",
    "password",
    "code",
    "credential",
    "challenge",
    "then",
    "sealed",
    "id",
    "name",
    "language",
  ];
  for (const value of ["\0", "\ud800", "a\0b@example.com", "'\"<script>", "x".repeat(4_000)]) {
    const form = Object.fromEntries(names.map((name) => [name, value]));
    for (const path of paths) {
      const { status } = await anyOther(visit).post(`/${path}`, form);
      assert.ok(status < 500, `${path} ${JSON.stringify(value.slice(0, 9))}: ${status}`);
    }
  }
  for (const path of paths) {
    const large = await visit.post(`/${path}`, { email: "x".repeat(1 << 20) });
    assert.equal(large.status, 413, path);
  }
});

it("what a passkey signs for one page, session or person is of no use for another", async () => {
  const { visit, device } = await withPasskey();
  const elsewhere = anybody();
  assert.equal((await usePasskey(elsewhere, device)).status, 303);
  const signed = async (by: Visitor, page: string) => {
    const action = `${page}/passkey`;
    const text = await by.open(page);
    const credential = device.get(optionsIn(text, action) as never);
    return { ...hiddenIn(text, action), credential };
  };
  const forSignIn = await signed(anybody(), "/sign-in");
  assert.equal((await visit.post("/prove/passkey", forSignIn)).status, 401, "made to sign in");
  const forOther = await signed(elsewhere, "/prove");
  assert.equal((await visit.post("/prove/passkey", forOther)).status, 401, "another session's");
  assert.equal((await anybody().post("/sign-in/passkey", forOther)).status, 401);
  assert.equal((await elsewhere.post("/prove/passkey", forOther)).status, 303, "its own");
  const stranger = await withPasskey();
  const forThem = await signed(visit, "/prove");
  assert.equal((await stranger.visit.post("/prove/passkey", forThem)).status, 401);
  assert.equal((await visit.post("/prove/passkey", await signed(visit, "/prove"))).status, 303);
});
