// What a gateway says of itself while its disk fails: how many answers it has refused, and that whatever
// it answers is in order.

import { call } from "../../test/gateway.ts";
import type { GatewayProcess } from "../gateway-process.ts";

const ENVELOPE = ["data", "error", "status", "status_check"];

/** By its own count, since it was started: every answer that was 503. */
export async function refusalsOf(gateway: GatewayProcess): Promise<number> {
  const { text } = await call(gateway.url, "/metrics").catch((error: unknown) => {
    throw new Error(`the gateway does not answer: ${gateway.output()}`, { cause: error });
  });
  let refused = 0;
  for (const line of text.split("\n")) {
    const [, count] =
      /^kopeck_http_request_seconds_count\{.*status="503".*\} (\d+)$/.exec(line) ?? [];
    refused += Number(count ?? 0);
  }
  return refused;
}

/** Whether it is ready; what is wrong with how it says so, where it is not. */
export async function readiness({ url }: GatewayProcess): Promise<"ready" | "away" | string> {
  const { status, body, text } = await call(url, "/readyz");
  if (status === 200) return "ready";
  const isEnveloped = String(Object.keys(body ?? {})) === String(ENVELOPE);
  return status === 503 && isEnveloped ? "away" : `/readyz said ${status} ${text}`;
}
