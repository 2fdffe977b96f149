// Rights of a merchant's people, by role.

export const MEMBER_ROLES = ["owner", "developer", "accountant", "support"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export type Right =
  | "look"
  | "payer"
  | "balance"
  | "resend"
  | "link"
  | "refund"
  | "ask_payout"
  | "confirm_payout"
  | "settings"
  | "keys"
  | "people";

export const RIGHTS: Readonly<Record<Right, readonly MemberRole[]>> = {
  /** Invoices, payments, events, and what the shops are set to. */
  look: ["owner", "developer", "accountant", "support"],
  payer: ["owner", "accountant", "support"],
  /** What there is, what moved it, and payouts. */
  balance: ["owner", "accountant"],
  resend: ["owner", "developer", "support"],
  link: ["owner", "developer", "accountant", "support"],
  refund: ["owner", "accountant"],
  ask_payout: ["owner", "accountant"],
  /** What others have asked for waits for somebody; what these ask for does not. */
  confirm_payout: ["owner"],
  settings: ["owner", "developer"],
  keys: ["owner", "developer"],
  people: ["owner"],
};

export function may(role: MemberRole, right: Right): boolean {
  return RIGHTS[right].includes(role);
}

const CALLED: Readonly<Record<MemberRole, { en: string; ru: string }>> = {
  owner: { en: "an owner", ru: "владелец" },
  developer: { en: "a developer", ru: "разработчик" },
  accountant: { en: "an accountant", ru: "бухгалтер" },
  support: { en: "support", ru: "поддержка" },
};

/** For whoever is refused: "an owner or a developer". */
export function whoMay(right: Right): { en: string; ru: string } {
  const listed = (language: "en" | "ru", or: string): string =>
    RIGHTS[right]
      .map((role) => CALLED[role][language])
      .join(", ")
      .replace(/, ([^,]+)$/, ` ${or} $1`);
  return { en: listed("en", "or"), ru: listed("ru", "или") };
}

export function rightsOf(role: MemberRole): Right[] {
  return (Object.keys(RIGHTS) as Right[]).filter((right) => may(role, right));
}
