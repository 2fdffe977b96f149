// A key is replaced while it is in use: whoever asks after the change is known to no gateway any more.

import assert from "node:assert/strict";
import { type CastShop, createH2h, createInvoice, invoiceBody } from "../../test/cast.ts";
import type { Answer } from "../../test/gateway.ts";
import { accepted } from "../accepted.ts";
import type { QuietGateway } from "../quiet-gateway.ts";
import { assertRefused, type Pair, race, several } from "./pair.ts";
import type { Scene } from "./scene.ts";

interface Request {
  readonly name: string;
  /** The request, and whether it has left a trace. */
  prepare(
    scene: Scene,
    shop: CastShop,
  ): Promise<{ ask(gateway: QuietGateway): Promise<Answer>; traces(): Promise<number> }>;
}

function rotationAnd({ name, prepare }: Request): Pair {
  return {
    name: `${name} ‖ key rotation`,
    orders: ["request first", "rotation first"],
    leadMs: -2,
    inCrowds: false,
    prepare: (scene, count) =>
      several(count, async () => {
        const { shop } = await scene.merchant();
        const { ask, traces } = await prepare(scene, shop);
        const works = async (key: string): Promise<boolean[]> => {
          const used = { ...shop, key };
          const both = [scene.left, scene.right].map((gateway) =>
            createInvoice(gateway, { amount: scene.amount() }, used),
          );
          return (await Promise.all(both)).map((answer) => {
            if (answer.status !== 200) assertRefused(answer, "unauthorized");
            return answer.status === 200;
          });
        };
        return race({
          async ready() {
            // Both gateways know the old key, and remember it.
            assert.deepEqual(await works(shop.key), [true, true]);
          },
          left: () => ask(scene.left),
          right: () => scene.other.ask("keys/rotate", { shop_id: shop.id, overlap_hours: 0 }),
          async judge(request, rotation) {
            const { secret } = accepted(rotation);
            // The same request first: it may not be let in by what a gateway remembers.
            for (const gateway of [scene.left, scene.right]) {
              assertRefused(await ask(gateway), "unauthorized");
            }
            assert.deepEqual(await works(shop.key), [false, false], "the old key");
            assert.deepEqual(await works(secret), [true, true], "the new key");
            if (request.status !== 200) assertRefused(request, "unauthorized");
            assert.equal(await traces(), request.status === 200 ? 1 : 0);
            return request.status === 200 ? "request first" : "rotation first";
          },
        });
      }),
  };
}

const create = rotationAnd({
  name: "create",
  async prepare({ sql, amount }, shop) {
    const body = invoiceBody({ shop_id: shop.id, amount: amount() });
    return {
      ask: (gateway) =>
        gateway.call("/invoice/create", { body, headers: { "x-api-key": shop.key } }),
      traces: async () =>
        (await sql("select from invoices where order_id = $1", [body["order_id"]])).length,
    };
  },
});

const h2h = rotationAnd({
  name: "h2h",
  async prepare({ left, sql, amount }, shop) {
    const { id } = accepted(await createInvoice(left, { amount: amount() }, shop));
    return {
      ask: (gateway) => createH2h(gateway, id, {}, shop),
      traces: async () => (await sql("select from payments where invoice_id = $1", [id])).length,
    };
  },
});

export const KEY_PAIRS: readonly Pair[] = [create, h2h];
