// /desk/merchants/{user}/look: an operator sees a merchant's cabinet as its people do, and leaves it. Guards that nobody
// begins to look without pressing a button, for each look stands in two logs.

import { readUser } from "../merchants/manage-users.endpoint.ts";
import { endLooks } from "../people/queries.ts";
import { startLook } from "../people/session.ts";
import { redirect } from "../people/site.ts";
import { desk } from "./site.ts";

const path = "/desk/merchants/:user_id/look";

export const lookPages = [
  // Where somebody comes to who had to sign in before their button was heard.
  desk.page({
    path,
    show: async ({ visit: { params } }) =>
      redirect(`/desk/merchants/${encodeURIComponent(params["user_id"] ?? "")}`),
  }),
  desk.page({
    method: "POST",
    path,
    async show({ app, askHere, person, session, who, visit }) {
      const { user_id: id } = await askHere(readUser);
      if (visit.form["leave"] !== undefined) {
        await endLooks(app.db, person.id, session.id);
        return redirect(`/desk/merchants/${id}`);
      }
      await startLook(app, session, who, id);
      return redirect("/my");
    },
  }),
];
