// The attempts that one process may have under way, and whose they may be. Guards that hosts that hang,
// however many of however many shops and users, leave places for somebody else: a user may hold as many
// as are still free, a shop as many as its user may still take; and a few each shop may have in any case.

const MAX_UNDER_WAY = 2_048;
export const MAX_PER_RECEIVER = 8;
/** What a shop may have though others of its user have taken everything. */
const LEAST_PER_SHOP = 4;

export interface Occupant {
  readonly receiver: string;
  readonly shopId: string;
  readonly userId: string;
}

export type Places = ReturnType<typeof openPlaces>;

export function openPlaces() {
  const receivers = new Map<string, number>();
  const shops = new Map<string, { userId: string; held: number }>();
  const users = new Map<string, number>();
  let free = MAX_UNDER_WAY;

  // Alone a user comes to half of all places; n users who want everything come to one part each of
  // n + 1, and one part is still free. The same holds among the shops of a user.
  const roomOfShop = (shopId: string, userId: string): number => {
    const held = shops.get(shopId)?.held ?? 0;
    const share = free - (users.get(userId) ?? 0) - held;
    return Math.min(free, Math.max(share, LEAST_PER_SHOP - held));
  };
  const change = ({ receiver, shopId, userId }: Occupant, by: number): void => {
    free -= by;
    count(receivers, receiver, by);
    count(users, userId, by);
    const held = (shops.get(shopId)?.held ?? 0) + by;
    if (held === 0) shops.delete(shopId);
    else shops.set(shopId, { userId, held });
  };

  return {
    get free(): number {
      return free;
    },
    /** How many more attempts may be begun for this receiver. */
    room: ({ receiver, shopId, userId }: Occupant): number =>
      Math.min(MAX_PER_RECEIVER - (receivers.get(receiver) ?? 0), roomOfShop(shopId, userId)),
    take: (holder: Occupant): void => change(holder, 1),
    giveBack: (holder: Occupant): void => change(holder, -1),
    /** Those that may have nothing more at the moment. */
    full: () => ({
      receivers: [...receivers].filter(([, held]) => held >= MAX_PER_RECEIVER).map(([id]) => id),
      shops: [...shops].filter(([id, { userId }]) => roomOfShop(id, userId) <= 0).map(([id]) => id),
    }),
  };
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const sum = (counts.get(key) ?? 0) + by;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}
