// The sandbox's rail plays every ending that a payout can have, by the last two digits of where it goes to. It
// remembers nothing: what it says follows from the number, the key and the clock.

import { addSeconds } from "../../domain/moment.ts";
import type { Finding, RailAnswer } from "../../domain/payout.ts";
import type { App } from "../../platform/app.ts";
import { recordAnswers } from "./attempts.ts";
import type { RailOrder, RailProgram } from "./rail.ts";
import { returnLater } from "./sandbox-queries.ts";

const ACCEPTED_SECONDS = 60;
const RETURNED_SECONDS = 60 * 60;

interface Ending {
  send(app: App, order: RailOrder): RailAnswer | Promise<RailAnswer>;
  look(app: App, order: RailOrder): Finding;
}

const sent = ({ key }: RailOrder): RailAnswer => ({
  kind: "sent",
  railId: key,
  reference: `sandbox-${key}`,
});
const notSent = (reason: string): RailAnswer => ({ kind: "not_sent", reason, retry: false });
const LOST: RailAnswer = { kind: "unknown", detail: "The answer was lost." };

const DONE: Ending = { send: (_app, order) => sent(order), look: (_app, order) => sent(order) };
const NO_RECIPIENT = () => notSent("recipient_not_found");

const ENDINGS: Readonly<Record<string, Ending>> = {
  "02": { send: NO_RECIPIENT, look: NO_RECIPIENT },
  // Accepted, and sent a minute later.
  "03": {
    send: (_app, { key }) => ({ kind: "accepted", railId: key }),
    look({ clock }, order) {
      const isSent = addSeconds(order.dispatchedAt, ACCEPTED_SECONDS) <= clock.now();
      return isSent ? sent(order) : { kind: "accepted" };
    },
  },
  // The answer is lost: it was sent; it was not; nobody ever knows.
  "04": { send: () => LOST, look: DONE.look },
  "05": { send: () => LOST, look: () => notSent("not_sent_after_all") },
  "08": { send: () => LOST, look: () => ({ kind: "not_found" }) },
  // The bank sends the money back an hour later.
  "06": {
    async send({ db, clock }, order) {
      await returnLater(db, order.payoutId, addSeconds(clock.now(), RETURNED_SECONDS));
      return sent(order);
    },
    look: DONE.look,
  },
  // What a notice would tell comes before the answer.
  "07": {
    async send(app, order) {
      const { payoutId, number } = order;
      const answer = sent(order);
      await app.db.transaction((tx) => recordAnswers(tx, app, [{ payoutId, number, answer }]));
      return answer;
    },
    look: DONE.look,
  },
};

const endingOf = ({ wallet }: RailOrder): Ending => ENDINGS[wallet.slice(-2)] ?? DONE;

export const sandboxRail: RailProgram = {
  send: async (app, _rail, order) => endingOf(order).send(app, order),
  look: async (app, _rail, order) => endingOf(order).look(app, order),
};
