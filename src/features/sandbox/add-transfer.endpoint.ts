// POST /sandbox/transfers: money arrives on a wallet, as if the bank had told us.

import Type from "typebox";
import { minorFromNumber } from "../../domain/money.ts";
import { TRANSFER_STATES } from "../../domain/transfer.ts";
import { hotEndpoint } from "../../platform/endpoint.ts";
import { checked, oneOf, text, textOrNull } from "../../platform/field.ts";
import { operatorGate } from "../operators/operator.ts";
import { bookTold } from "../transfers/book.ts";

const Input = Type.Object({
  wallet: text({ max: 64 }, { description: "The card or phone that the money arrives on." }),
  amount: checked(
    Type.Number({ exclusiveMinimum: 0, maximum: 1e12, description: "How much arrived." }),
    "decimals",
    (value: number) => minorFromNumber(value) !== undefined,
  ),
  reference: Type.Optional(
    text({ max: 255 }, { description: "The bank's own reference; the same one counts once." }),
  ),
  payer: Type.Optional(text({ max: 255 }, { description: "Who sent it, as the bank says." })),
});

export const addTransfer = hotEndpoint({
  method: "POST",
  path: "/sandbox/transfers",
  summary: "Money arrives (sandbox only)",
  gate: operatorGate,
  input: Input,
  data: Type.Object({
    transfer_id: Type.String({ description: "The transfer." }),
    state: oneOf(TRANSFER_STATES, { description: "Whether a payment was found for it." }),
    invoice_id: textOrNull({ description: "The invoice that it paid, or null." }),
    fresh: Type.Boolean({ description: "Whether it was new; false for a repeated call." }),
  }),
  problems: "first",
  lanes: 2,
  async handleSet(app, calls) {
    const told = calls.map(({ input }) => {
      const { reference = `sandbox ${app.newId()}`, ...rest } = input;
      return { ...rest, reference };
    });
    const booked = await app.db.transaction((tx) => bookTold(tx, app, told));
    return booked.map((outcome) => {
      if (outcome instanceof Error) return outcome;
      const { id, state, invoice_id } = outcome.transfer;
      return { transfer_id: id, state, invoice_id, fresh: outcome.fresh };
    });
  },
});
