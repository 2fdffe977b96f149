// The attempts that one process may have under way, and whose they may be. Guards that hosts that hang,
// however many of however many shops and users, leave places for somebody else: a user may hold as many
// as are still free, a shop as many as its user may still take; and a few each shop may have in any case.
// What a user is told of payouts counts as one more shop of theirs.

const MAX_UNDER_WAY = 2_048;
export const MAX_PER_RECEIVER = 8;
/** What a shop may have though others of its user have taken everything. */
const LEAST_PER_OWNER = 4;

export interface Occupant {
  readonly receiver: string;
  /** The shop, or the user. */
  readonly ownerId: string;
  readonly userId: string;
}

export type Places = ReturnType<typeof openPlaces>;

export function openPlaces() {
  const receivers = new Map<string, number>();
  const owners = new Map<string, { userId: string; held: number }>();
  const users = new Map<string, number>();
  let free = MAX_UNDER_WAY;

  // Alone a user comes to half of all places; n users who want everything come to one part each of
  // n + 1, and one part is still free. The same holds among the shops of a user.
  const roomOfOwner = (ownerId: string, userId: string): number => {
    const held = owners.get(ownerId)?.held ?? 0;
    const share = free - (users.get(userId) ?? 0) - held;
    return Math.min(free, Math.max(share, LEAST_PER_OWNER - held));
  };
  const change = ({ receiver, ownerId, userId }: Occupant, by: number): void => {
    free -= by;
    count(receivers, receiver, by);
    count(users, userId, by);
    const held = (owners.get(ownerId)?.held ?? 0) + by;
    if (held === 0) owners.delete(ownerId);
    else owners.set(ownerId, { userId, held });
  };

  return {
    get free(): number {
      return free;
    },
    /** How many more attempts may be begun for this receiver. */
    room: ({ receiver, ownerId, userId }: Occupant): number =>
      Math.min(MAX_PER_RECEIVER - (receivers.get(receiver) ?? 0), roomOfOwner(ownerId, userId)),
    take: (holder: Occupant): void => change(holder, 1),
    giveBack: (holder: Occupant): void => change(holder, -1),
    /** Those that may have nothing more at the moment. */
    full: () => ({
      receivers: [...receivers].filter(([, held]) => held >= MAX_PER_RECEIVER).map(([id]) => id),
      owners: [...owners]
        .filter(([id, { userId }]) => roomOfOwner(id, userId) <= 0)
        .map(([id]) => id),
    }),
  };
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const sum = (counts.get(key) ?? 0) + by;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}
