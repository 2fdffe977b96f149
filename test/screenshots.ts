// npm run screenshots: the pages in each of their states, as pictures in docs/screenshots. Starts a
// sandbox of its own in a temporary folder, with a clock that stands still.

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DESKTOP, openCheckoutRoom, PHONE } from "./checkout-room.ts";
import { openScreens } from "./checkout-screens.ts";

const FOLDER = join(import.meta.dirname, "../docs/screenshots");

const room = await openCheckoutRoom("embedded");
try {
  const { "not-found": _, ...screens } = await openScreens(room);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const [device, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await room.payer({ viewport, colorScheme });
      for (const [name, path] of Object.entries(screens)) {
        if (colorScheme === "dark" && name !== "details") continue;
        await page.goto(room.baseUrl + path);
        const dark = colorScheme === "dark" ? "-dark" : "";
        await page.screenshot({ path: join(FOLDER, `${name}-${device}${dark}.png`) });
      }
      await room.leave();
    }
  }
} finally {
  await room.close();
}
