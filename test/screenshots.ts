// npm run screenshots: the pages in each of their states, and the desk and the cabinet, as pictures in
// docs/screenshots. Starts sandboxes of its own in temporary folders, with clocks that stand still.

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DESKTOP, openCheckoutRoom, PHONE } from "./checkout-room.ts";
import { openScreens } from "./checkout-screens.ts";
import { takeSitePictures } from "./site-pictures.ts";

const FOLDER = join(import.meta.dirname, "../docs/screenshots");

const room = await openCheckoutRoom("embedded");
try {
  const { "not-found": _, "no-page": __, ...screens } = await openScreens(room);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  /** Everything on a phone; of what payers see most, also a desktop, the dark and the other language. */
  const shoot = async (
    kind: string,
    options: Parameters<typeof room.payer>[0],
    only?: string[],
  ) => {
    const { page } = await room.payer(options);
    for (const [name, path] of Object.entries(screens)) {
      if (only?.includes(name) === false) continue;
      await page.goto(room.baseUrl + path);
      await page.screenshot({ path: join(FOLDER, `${name}-${kind}.png`) });
    }
    await room.leave();
  };
  const most = ["home", "demo", "choose-method", "choose-bank", "details", "paid"];
  await shoot("phone", { viewport: PHONE });
  await shoot("phone-dark", { viewport: PHONE, colorScheme: "dark" }, ["details"]);
  await shoot("phone-ru", { viewport: PHONE, locale: "ru-RU" }, [
    "choose-method",
    "details",
    "paid",
  ]);
  await shoot("desktop", { viewport: DESKTOP }, most);
  await shoot("desktop-dark", { viewport: DESKTOP, colorScheme: "dark" }, ["details"]);
} finally {
  await room.close();
}
await takeSitePictures(FOLDER);
