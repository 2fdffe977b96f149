// People who have just come to the desk by a link, each at an address of their own.

import { argon2Sync } from "node:crypto";
import type { TestGateway } from "./gateway.ts";
import type { Manage } from "./manage.ts";
import {
  invite,
  joinByPasskey,
  joinByPassword,
  PASSWORD,
  type Visitor,
  visitor,
} from "./people.ts";

/** The gateway believes 127.0.0.1 where a request comes from. */
export function newcomers(gateway: TestGateway, own: Manage) {
  const { clock, app } = gateway;
  let addresses = 0;
  let people = 0;
  const anybody = (): Visitor => {
    addresses += 1;
    return visitor(gateway, {
      "x-forwarded-for": `203.0.${addresses >> 8}.${addresses & 255}`,
      "user-agent": "Firefox on Linux",
    });
  };
  const invited = async (role: string) => {
    people += 1;
    const email = `p${people}@example.com`;
    const { person, link } = await invite(own, email, role);
    return { email, id: person.person_id, link, visit: anybody() };
  };
  return {
    anybody,
    invited,
    async withPassword(role = "operator") {
      const person = await invited(role);
      const joined = await joinByPassword(person.visit, gateway, person.link);
      // The code of that moment was used.
      clock.advance(60);
      return { ...person, ...joined };
    },
    async withPasskey(role = "operator") {
      const person = await invited(role);
      return { ...person, ...(await joinByPasskey(person.visit, gateway.url, person.link)) };
    },
    /** 200 for who is let in there; 303 for who has to sign in. */
    atDesk: async (visit: Visitor): Promise<number> => (await visit.get("/desk/transfers")).status,
    /** The same cookies elsewhere. */
    anyOther(visit: Visitor): Visitor {
      const other = anybody();
      for (const [name, value] of visit.jar) other.jar.set(name, value);
      return other;
    },
    /** A hash of the same password that costs a thousandth: the same code reads it, for costs stand in it. */
    async weaken(id: string): Promise<void> {
      const nonce = Buffer.alloc(16, 7);
      const cost = { memory: 8, passes: 1, parallelism: 1 };
      const tag = argon2Sync("argon2id", { message: PASSWORD, nonce, tagLength: 32, ...cost });
      const plain = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
      await app.db.query("update people set password = $2 where id = $1", [
        id,
        `$argon2id$v=19$m=8,t=1,p=1$${plain(nonce)}$${plain(tag)}`,
      ]);
    },
  };
}
