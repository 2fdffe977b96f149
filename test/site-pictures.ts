// Pictures of the desk and the cabinet for docs/desk.md, of a sandbox with its month of example business and a
// clock that stands still.

import { join } from "node:path";
import { DESKTOP, PHONE } from "./checkout-room.ts";
import { manage } from "./manage.ts";
import { openSiteRoom } from "./site-room.ts";

export async function takeSitePictures(folder: string): Promise<void> {
  const room = await openSiteRoom({ sandboxHistory: true });
  try {
    const own = manage(room.gateway);
    const { items: live } = await own.get("payments?state=live");
    const { items: given } = await own.get("refunds");
    const card = `/desk/requisites/${live[0].requisite_id}`;
    const invoice = `/my/invoices/${given[0].invoice_id}`;
    const light = { viewport: DESKTOP };
    const dark = { viewport: DESKTOP, colorScheme: "dark" } as const;
    const russian = { viewport: DESKTOP, locale: "ru-RU" };
    const pictures: readonly (readonly [
      name: string,
      path: string,
      look: Parameters<typeof room.anna>[0],
    ])[] = [
      ["desk-home", "/desk", light],
      ["desk-suspense", "/desk/suspense", light],
      ["desk-requisite", card, light],
      ["desk-payouts-ru", "/desk/payouts", russian],
      ["desk-statistics-dark", "/desk/statistics", dark],
      ["desk-audit", "/desk/audit", light],
      ["my-home-ru", "/my", russian],
      ["my-invoice", invoice, light],
      ["my-events-dark", "/my/events", dark],
      ["my-home-phone", "/my", { viewport: PHONE }],
    ];
    for (const [name, path, look] of pictures) {
      const page = await room.anna(look);
      await page.goto(path);
      await page.screenshot({ path: join(folder, `${name}.png`) });
      await page.context().close();
    }
  } finally {
    await room.close();
  }
}
