// What a newcomer sees when the sandbox is up: where it listens, its pages, the keys, and a line to try.

import type { Config } from "../../platform/config.ts";
import { OPERATOR, SANDBOX_SHOP, SANDBOX_USER, WEBHOOK_KEYS } from "./cast.ts";

/** The first line to try: an invoice, as the README begins. */
export function firstCurl(baseUrl: string): string {
  const { shop, secret } = SANDBOX_SHOP;
  return `curl -s ${baseUrl}/invoice/create -H 'x-api-key: ${secret}' -H 'content-type: application/json' \\
    -d '{"shop_id":"${shop.id}","order_id":"order-1","amount":1000,"type":"direct","include_service":["p2p_card"],"success_url":"https://shop.example/ok"}'`;
}

type Addresses = Pick<Config, "baseUrl" | "deskUrl" | "cabinetUrl">;

export function welcome({ baseUrl, deskUrl, cabinetUrl }: Addresses): string {
  const { shop, secret } = SANDBOX_SHOP;
  return `
Kopeck's sandbox is up at ${baseUrl}

  the desk, for whoever runs it   ${deskUrl}/desk
  the cabinet, for a merchant     ${cabinetUrl}/my
  a shop with a payment page      ${baseUrl}/demo
  the API's reference             ${baseUrl}/docs

  shop  ${shop.id}   x-api-key: ${secret}
  user  ${SANDBOX_USER.id}   x-api-signature-sha256: ${SANDBOX_USER.secret}
  operator                                     authorization: Bearer ${OPERATOR.token}
  webhooks are signed with                     ${WEBHOOK_KEYS.key}

Try it:

  ${firstCurl(baseUrl)}

`;
}
