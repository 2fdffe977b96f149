// Every statement about payouts; so far only the directory of banks they can go to.

import type { Queryable } from "../../platform/db.ts";

export interface SbpBank {
  readonly id: string;
  readonly name: string;
}

export function sbpBanks(db: Queryable): Promise<SbpBank[]> {
  return db.query<SbpBank>("select id, name from sbp_banks order by id", []);
}
