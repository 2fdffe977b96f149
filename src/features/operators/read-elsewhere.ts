// Where a door that only looks reads from. What names no single thing, and is answered in pages or as of a
// moment, is read from the replica; all else from the primary. Guards that whoever has changed something sees
// it: the replica is asked only where it has what they changed.

import type { TSchema } from "typebox";
import type { App } from "../../platform/app.ts";
import type { Call } from "../../platform/endpoint.ts";
import { type Changer, hasChanges, lastChanges } from "./queries.ts";

interface Looking<Input, Principal, Data> {
  readonly path: string;
  readonly data: TSchema;
  read(app: App, input: Input, principal: Principal): Promise<Data>;
  /** Whose changes are their own. */
  changerOf(principal: Principal): Changer;
}

export function looking<Input, Principal, Data>(door: Looking<Input, Principal, Data>) {
  const handle = (app: App, { input, principal }: Call<Input, Principal>): Promise<Data> =>
    door.read(app, input, principal);
  if (!mayBeOld(door)) return { handle };
  return {
    readsFrom: "replica" as const,
    handle: async (app: App, call: Call<Input, Principal>): Promise<Data> => {
      const { replica } = app;
      const read = await replica?.ask(async (db) => {
        const changes = await lastChanges(app.db, door.changerOf(call.principal));
        if (!(await hasChanges(db, changes))) return undefined;
        return { data: await handle({ ...app, db, memory: replica.memory }, call) };
      });
      if (read?.answer === undefined) return handle(app, call);
      call.tellAge?.(read.ageSeconds);
      return read.answer.data;
    },
  };
}

/** The rule, of a door that only looks. */
function mayBeOld({ path, data }: { readonly path: string; readonly data: TSchema }): boolean {
  const fields = "properties" in data ? Object.keys(data.properties as object) : [];
  const isList = fields.includes("items") && (fields.includes("next") || fields.includes("as_of"));
  return isList && !path.includes(":");
}
