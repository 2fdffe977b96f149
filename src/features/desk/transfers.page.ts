// /desk/transfers: money that arrived; one of them and why it is whose it is; and one booked by hand.

import type { Answer } from "../../platform/endpoint.ts";
import { html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readEntries } from "../ledger/manage-accounts.endpoint.ts";
import { named, nameOf } from "../people/cells.ts";
import { formPages } from "../people/form-page.ts";
import { addressOf, listPages } from "../people/list-page.ts";
import { factsOf, sheetsOf } from "../people/parts.ts";
import { card, chip, link, momentText, money } from "../screens/pieces.ts";
import { wordOf } from "../screens/words.ts";
import { bookTransfers } from "../transfers/book-transfers.endpoint.ts";
import { readTransfers, showTransfer } from "../transfers/manage-transfers.endpoint.ts";
import { type DeskSight, desk } from "./site.ts";
import { WAITS } from "./suspense-words.ts";

const list = listPages(desk, {
  path: "/desk/transfers",
  title: { en: "Transfers", ru: "Переводы" },
  door: readTransfers,
  columns: () => [
    "received_at",
    "amount",
    "state",
    "settled_at",
    named("requisite_id"),
    "payer",
    "reference",
    "invoice_id",
  ],
  filters: [
    "state",
    "amount",
    "currency",
    "wallet",
    "reference",
    named("requisite_id"),
    "from",
    "to",
    "needs_proof",
  ],
  open: ({ transfer_id: id }, root) => `${root}/transfers/${id}`,
  above: async (sight) =>
    html`<p class="acts">${sight.may(bookTransfers) && link(sight.say(NEW), "/desk/transfers/new", "main")}${link(
      sight.say({ en: "What waits", ru: "Что ждёт разбора" }),
      "/desk/suspense",
      "plain",
    )}</p>${await assignedThen(sight)}`,
  nothing: {
    en: "No such money. It comes by statements, by phones that forward a bank's messages, by the API, or by hand",
    ru: "Таких денег нет. Они приходят из выписок, с телефонов, которые пересылают сообщения банка, по API или вручную",
  },
  command: "kopeck transfer list",
  live: "transfers",
});

/**
 * Figures count money when it is credited: what had waited before that day is not among what arrived on it, and what
 * was settled later is not in that day's figure. What was settled is among what was assigned, whenever that was.
 */
async function assignedThen({ say, visit, askIfAllowed }: DeskSight): Promise<Part> {
  const { from = "", to = "", currency = "" } = visit.query;
  // A form sends what nobody has filled in as well; what is no currency is the list's to refuse.
  if (`${from}${to}` === "" || !/^(?:[A-Z]{3})?$/.test(currency)) return false;
  const account_id = `suspense.${currency || "RUB"}`;
  if ((await askIfAllowed(readEntries, { account_id, limit: 1 })) === undefined) return false;
  const words = {
    en: "Assigned in this period, whenever it came",
    ru: "Зачислено из разбора за этот период, когда бы ни пришло",
  };
  const entries = addressOf(`/desk/books/${account_id}`, "", { from, to });
  return html`<p class="acts">${link(say(words), entries, "plain")}</p><p class="note">${say(COUNTED)}</p>`;
}

const COUNTED = {
  en: "Figures count money on the day of its credit: of these rows those that are matched and have no moment under “Settled”, and beside them what was assigned in this period.",
  ru: "Показатели считают деньги в день зачисления: из этих строк — зачисленные, у которых в «Решено» ничего нет, и кроме них зачисленное из разбора за этот период.",
};

const NEW = { en: "Add a transfer", ru: "Добавить перевод" };

const add = formPages(desk, {
  path: "/desk/transfers/new",
  title: NEW,
  submit: { en: "Book it", ru: "Провести" },
  door: bookTransfers,
  fields(sight) {
    const hint = sight.say({
      en: "With its time and zone where you know it: 2026-03-01T14:02+03:00. Empty: now.",
      ru: "Со временем и поясом, если известно: 2026-03-01T14:02+03:00. Пусто — сейчас.",
    });
    const once = sight.say({
      en: "The bank's own number: the same one counts once.",
      ru: "Номер операции в банке: один и тот же считается один раз.",
    });
    return [
      { ...named("requisite_id"), required: true },
      { name: "amount", required: true },
      { name: "reference", required: true, hint: once },
      { name: "made_at", kind: "text", hint },
      "payer",
    ];
  },
  note: {
    en: "It is matched at once, as if a bank had told of it. This cannot be undone.",
    ru: "Перевод сопоставится сразу, как если бы о нём сообщил банк. Отменить нельзя.",
  },
  then: (data) =>
    "transfer_id" in data ? `/desk/transfers/${data.transfer_id}` : "/desk/transfers",
  command: "kopeck transfer add",
});

type Shown = Answer<typeof showTransfer>;

/** Why it is whose it is. */
function why({ say, look }: DeskSight, one: Shown): Part {
  const { state, suspense_reason: reason, settled_by: by, settled_reason: said, slot } = one;
  if (state === "suspense") {
    return html`${say({ en: "It waits for a person.", ru: "Ждёт решения." })} ${say(WAITS[reason ?? "nobody_expected"])}`;
  }
  if (by !== null)
    return html`${say({ en: "Settled by", ru: "Решил(а)" })} <b><bdi>${by}</bdi></b>: <bdi>${said}</bdi>`;
  if (slot === null) return "";
  const [from, until] = [momentText(slot.held_from, look), momentText(slot.held_until, look)];
  const paid = momentText(one.made_at ?? one.received_at, look);
  return say({
    en: `It was paid at ${paid}, and from ${from} to ${until} one payment alone had this requisite and this amount.`,
    ru: `Оплачено ${paid}, а с ${from} до ${until} эти реквизиты и сумма были только у одного платежа.`,
  });
}

const detail = desk.page({
  path: "/desk/transfers/:transfer_id",
  async show(sight) {
    const { say, look } = sight;
    const one = await sight.askHere(showTransfer);
    const sheet = sheetsOf(sight, showTransfer, one);
    const worked =
      one.state === "suspense" &&
      link(
        say({ en: "Settle it", ru: "Разобрать" }),
        `/desk/suspense?transfer=${one.transfer_id}`,
        "main",
      );
    const lead = html`<p class="lead">${chip(one.state, look)} ${why(sight, one)}</p>${worked && html`<p class="acts">${worked}</p>`}`;
    const body = html`${card(undefined, lead)}${card(
      undefined,
      factsOf(sight, showTransfer, undefined, one, [
        ["amount", money(one.amount, look, one.currency)],
        ["requisite_id", await nameOf(sight, "requisite_id", one.requisite_id)],
        "payer",
        "reference",
        "made_at",
        "received_at",
        "payment_id",
        "invoice_id",
        ["judged_by", wordOf(one.judged_by, look.language)],
        ["channel", wordOf(one.channel, look.language)],
        "needs_proof",
        "settled_at",
        "transfer_id",
      ]),
    )}${sheet("evidence", ["told_at", "channel", "teller", "key", "made_at"], {
      title: say({ en: "Who told of it", ru: "Кто сообщил" }),
    })}${sheet(
      "approvals",
      [
        "at",
        "by_name",
        "reason",
        "order_id",
        "withdrawn_at",
        "withdrawn_by_name",
        "withdrawn_reason",
      ],
      { title: say({ en: "Approvals", ru: "Подтверждения" }) },
    )}`;
    const title = say({ en: "Transfer", ru: "Перевод" });
    return { title, body, command: `kopeck transfer show ${one.transfer_id}` };
  },
});

export const transferPages: readonly WebPage[] = [...list, ...add, detail];
