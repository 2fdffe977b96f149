// POST /cabinet/shops/{shop_id}/test-event: one signed request to the shop's own address, so that whoever writes a
// receiver hears something before anybody pays. Guards that it can be taken for no payment, by a body that names
// none, and that it is stored nowhere: not among the events, not in the feed, in no figure and no alert.
import type { Static } from "typebox";
import { type App, perApp } from "../../platform/app.ts";
import { endpoint } from "../../platform/endpoint.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { numberOrNull, Type, textOrNull, uuid } from "../../platform/field.ts";
import { OutgoingFailure } from "../../platform/outgoing.ts";
import { atMost, openThrottle } from "../../platform/throttle.ts";
import { findOwnShop, type Member, memberGateFor } from "../merchants/member.ts";
import type { ShopRow } from "../merchants/nouns.ts";
import { findWebhookKeys } from "../merchants/queries.ts";
import { recordAudit } from "../operators/doors.ts";
import { isoMoment } from "../operators/noun.ts";
import { headersOf } from "./deliver-events.job.ts";
import { TEST_MESSAGE } from "./descriptions.ts";
import { canonicalJson } from "./events.ts";

/** Of one merchant: enough for who tries a receiver out, and nothing to knock at somebody's door with. */
const TESTS = { burst: 10, perSecond: 1 / 6 };
const AGAIN_SECONDS = 6;
/** So many at once, of all merchants: receivers that hang hold no more. */
const UNDER_WAY = 10;

const tests = perApp(({ clock }) => openThrottle(clock, TESTS));
const places = perApp(() => ({ take: atMost(UNDER_WAY) }));

const Input = Type.Object({
  shop_id: uuid({
    description: "The shop whose address is tried.",
    examples: ["00000000-0000-4000-8000-000000000002"],
  }),
});

const Data = Type.Object({
  shop_id: uuid({ description: "The shop." }),
  event_id: uuid({ description: "webhook-id of the request; it is in no list." }),
  hook_url: textOrNull({ description: "Where it went.", examples: ["https://shop.example/hook"] }),
  sent_at: isoMoment("When."),
  body: Type.String({
    description: "Exactly what was signed and sent.",
    examples: ['{"code":0,"event_id":"…","status":"test","type":0}'],
  }),
  status: numberOrNull({ description: "The receiver's HTTP status.", examples: [200] }),
  error: textOrNull({ description: "Or why there was none.", examples: [null] }),
  duration_ms: Type.Integer({ description: "How long it took.", examples: [120] }),
});

export const sendTestEvent = endpoint<typeof Input, typeof Data, Member>({
  method: "POST",
  path: "/cabinet/shops/:shop_id/test-event",
  summary: "Send a test event to a shop's webhook address",
  description:
    "One request, at once and never again, signed as every webhook is; its status is `test`, and it names no " +
    "invoice and no amount. While the webhook keys are being changed, x-api-sha256-signature is by the new key. " +
    "Nothing of it is kept but a row of the audit log. Ten at once, then one in six seconds.",
  gate: memberGateFor("settings"),
  input: Input,
  data: Data,
  notFound: "The merchant has no such shop.",
  problems: "all",
  refusesUnknown: true,
  async handle(app, { input, principal: member }) {
    const shop = await findOwnShop(app.db, input.shop_id, member);
    if (!tests(app).allows(member.userId)) throw new HttpFailure("too_many_tests", AGAIN_SECONDS);
    return places(app).take(() => sendTest(app, shop, member));
  },
});

/** Written down first: whoever reads the log sees who had something sent, whatever comes of it. */
async function sendTest(app: App, shop: ShopRow, member: Member): Promise<Static<typeof Data>> {
  const { id: shopId, hook_url: url } = shop;
  const id = app.newId();
  const sentAt = app.clock.now();
  const body = canonicalJson({
    event_id: id,
    shop_id: shopId,
    status: "test",
    type: 0,
    code: 0,
    message: TEST_MESSAGE,
  });
  const keys = await findWebhookKeys(app.db, shopId);
  const { name: by, userId } = member;
  const after = { event_id: id, hook_url: url };
  await app.db.transaction((tx) =>
    recordAudit(tx, app, { by, userId, act: "event.test", subject: shopId, before: null, after }),
  );
  // While keys change the second turn is the new one's: what is asked is whether that is in place.
  const heard = await post(app, url, {
    id,
    body,
    turn: 2,
    owner_id: shopId,
    old_until: null,
    key_sealed: null,
    secret_sealed: null,
    old_key_sealed: null,
    old_secret_sealed: null,
    ...keys,
  });
  return { shop_id: shopId, ...after, sent_at: sentAt.toISOString(), body, ...heard };
}

async function post(
  app: App,
  url: string | null,
  event: Parameters<typeof headersOf>[1],
): Promise<Pick<Static<typeof Data>, "status" | "error" | "duration_ms">> {
  try {
    if (url === null) throw new OutgoingFailure("no address", 0);
    const { status, durationMs } = await app.http.post(url, {
      headers: headersOf(app, event),
      body: event.body,
    });
    return { status, error: null, duration_ms: durationMs };
  } catch (error) {
    if (!(error instanceof OutgoingFailure)) throw error;
    return { status: null, error: error.message, duration_ms: error.durationMs };
  }
}
