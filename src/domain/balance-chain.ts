// Checks that a balance follows from the one before, so that a forged message joins no chain.

/** What is known of a requisite's balances: one stretch without a gap. */
export interface Chain {
  /** Before its first link, and after its last. */
  readonly openingMinor: bigint;
  readonly balanceMinor: bigint;
  /** What messages without a balance have told since: it may be in the next balance, or not yet. */
  readonly floatingMinor: bigint;
  /**
   * It has come from an empty account, as most begin and many end a day: everybody can guess that, and whoever knows
   * what came since knows all of it. Only a bank's own balance, or a person's, ends it.
   */
  readonly isGuessable: boolean;
}

/** A message that tells how much came or went (below zero), and what there is since. */
export interface Link {
  readonly changeMinor: bigint;
  readonly balanceMinor: bigint;
}

/**
 * Which of these links fit, one after another, and the chain with them. Without a chain the first begins it. `mayFollow`
 * says whether one can have happened after the last that fitted, or after all that was known.
 */
export function extendChain<One extends Link>(
  known: Chain | null,
  links: readonly One[],
  mayFollow: (link: One, last: One | undefined) => boolean = () => true,
): { readonly chain: Chain | null; readonly fitting: readonly One[] } {
  let chain = known;
  let last: One | undefined;
  const fitting: One[] = [];
  const waiting = [...links];
  for (let at = 0; at < waiting.length; at += 1) {
    const [link] = waiting.slice(at, at + 1);
    const longer = link && withLink(chain, link);
    if (link === undefined || longer === undefined) continue;
    const isAfter = longer.openingMinor === (chain ?? longer).openingMinor;
    if (isAfter && !mayFollow(link, last)) continue;
    if (isAfter) last = link;
    chain = longer;
    fitting.push(link);
    waiting.splice(at, 1);
    // What did not fit before may fit now.
    at = -1;
  }
  return { chain, fitting };
}

/** Undefined where it fits at neither end. */
function withLink(chain: Chain | null, { changeMinor, balanceMinor }: Link): Chain | undefined {
  if (chain === null) return chainOf({ changeMinor, balanceMinor });
  const before = balanceMinor - changeMinor;
  const isFromNothing = before === 0n || balanceMinor === 0n;
  const isNext =
    before === chain.balanceMinor || before === chain.balanceMinor + chain.floatingMinor;
  if (isNext) {
    const isGuessable = chain.isGuessable || isFromNothing;
    return { ...chain, balanceMinor, floatingMinor: 0n, isGuessable };
  }
  // Before a beginning with nothing everybody can guess what there was; and less than nothing is nobody's.
  const isEarlier = balanceMinor === chain.openingMinor && balanceMinor !== 0n && before >= 0n;
  const isGuessable = chain.isGuessable || before === 0n;
  return isEarlier ? { ...chain, openingMinor: before, isGuessable } : undefined;
}

/** One that begins with this balance. */
export function chainFrom(balanceMinor: bigint, isGuessable = balanceMinor === 0n): Chain {
  return { openingMinor: balanceMinor, balanceMinor, floatingMinor: 0n, isGuessable };
}

/** One of a single link: the first, or one that a person has seen on the account. All of it may be one payer's own. */
export function chainOf({ changeMinor, balanceMinor }: Link): Chain {
  const openingMinor = balanceMinor - changeMinor;
  return { ...chainFrom(balanceMinor, openingMinor === 0n || balanceMinor === 0n), openingMinor };
}

/** A statement of a day that is over. */
interface Closing {
  /** Null where the bank does not say. */
  readonly openingMinor: bigint | null;
  readonly balanceMinor: bigint;
  /** Whether there was nothing on the account in between. */
  readonly wasEmpty: boolean;
}

/**
 * A statement begins a stretch anew. What it says is there can be guessed still where it began with nothing itself, or
 * came to nothing in between, and where nothing has moved since it could be: a forger who really paid something onto an
 * empty card knows both.
 */
export function chainAfter(known: Chain | null, closing: Closing): Chain {
  const { openingMinor, balanceMinor, wasEmpty } = closing;
  const hasMoved = openingMinor !== null && openingMinor !== balanceMinor;
  const wasGuessable = known?.isGuessable === true && !hasMoved;
  const hasNothing = balanceMinor === 0n || openingMinor === 0n || wasEmpty;
  return chainFrom(balanceMinor, hasNothing || wasGuessable);
}
