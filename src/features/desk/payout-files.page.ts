// /desk/payouts/files: payouts in a file for the bank's client; the file, to be kept; and what the bank answers to
// it. Guards that whole numbers leave only for who has proven anew who they are, and that nobody takes a file to the
// bank without a word of which payouts have ended.

import type { Answer } from "../../platform/endpoint.ts";
import { type Failure, isFailure } from "../../platform/failure.ts";
import { html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import {
  makePayoutBatch,
  readPayoutBatches,
  revealPayoutBatch,
  settlePayoutBatch,
} from "../payouts/manage-payout-batches.endpoint.ts";
import { formOf, formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { factsOf } from "../people/parts.ts";
import type { Screen } from "../people/site.ts";
import { button, card, facts, link, notice } from "../screens/pieces.ts";
import { type DeskSight, desk } from "./site.ts";

const NEW = { en: "Make a file", ru: "Собрать файл" };
const MAX_BODY_BYTES = 2 * 1024 * 1024;

const list = listPages(desk, {
  path: "/desk/payouts/files",
  title: { en: "Files of payouts", ru: "Файлы выводов" },
  door: readPayoutBatches,
  columns: () => ["created_at", "format", "payouts", "sum", "created_by", "batch_id"],
  open: ({ batch_id: id }, root) => `${root}/payouts/files/${id}`,
  above: ({ may, say }) =>
    may(makePayoutBatch) &&
    html`<p class="acts">${link(say(NEW), "/desk/payouts/files/new", "main")}</p>`,
  nothing: {
    en: "No file was made yet. One takes up to 500 payouts that stand in line to the bank's client at once",
    ru: "Файлов ещё не было. Один файл несёт в банк-клиент до 500 выводов из очереди сразу",
  },
  command: "kopeck payout-batch list",
});

const make = formPages(desk, {
  path: "/desk/payouts/files/new",
  title: NEW,
  door: makePayoutBatch,
  fields: () => ["format", "service", "limit", "account"],
  note: {
    en: "They are in this file from now on and in no other: the bank alone sends them. After three days without its answer nobody knows of them.",
    ru: "Эти выводы теперь только в этом файле: их отправит банк. Через три дня без его ответа исход станет неизвестен.",
  },
  then: ({ batch_id: id }) => `/desk/payouts/files/${id}`,
  command: "kopeck payout-batch make csv",
});

const settle = {
  path: "/desk/payouts/files/:batch_id/results",
  title: { en: "The bank's answer", ru: "Ответ банка" },
  submit: { en: "Bring it", ru: "Загрузить" },
  door: settlePayoutBatch,
  maxBodyBytes: MAX_BODY_BYTES,
  fields: ({ say }: DeskSight) => [
    {
      name: "file",
      kind: "file" as const,
      required: true,
      label: say({ en: "File", ru: "Файл" }),
      hint: say({
        en: "CSV: number;state;reference;reason. The state is sent, not_sent or retry.",
        ru: "CSV: number;state;reference;reason. Состояние: sent, not_sent или retry.",
      }),
    },
  ],
  also: ({ visit }: DeskSight) => ({
    content: Buffer.from(visit.files["file"]?.bytes ?? []).toString("base64"),
  }),
  shows: (data: Settled, { say }: DeskSight) =>
    card(
      undefined,
      facts([
        [say({ en: "Rows", ru: "Строк" }), data.rows],
        [say({ en: "Settled", ru: "Решено" }), data.settled],
        [say({ en: "Known before", ru: "Уже известно" }), data.known],
        [say({ en: "Against what is known", ru: "Вопреки известному" }), data.conflicts],
        [
          say({ en: "Wait for a second approval", ru: "Ждут второго подтверждения" }),
          data.to_approve,
        ],
      ]),
    ),
};

type Settled = Answer<typeof settlePayoutBatch>;

const NEWEST = 200;
const path = "/desk/payouts/files/:batch_id";

const detail = desk.page({
  path,
  async show(sight) {
    const { say, visit, may } = sight;
    const id = visit.params["batch_id"] ?? "";
    const { items } = await sight.ask(readPayoutBatches, { limit: NEWEST });
    const one = items.find(({ batch_id }) => batch_id === id);
    const fields = ["format", "payouts", "sum", "created_by", "created_at", "digest", "batch_id"];
    const note = say({
      en: "With whole numbers; the same bytes for ever. The audit log says who looked.",
      ru: "С полными номерами; байты всегда те же. Просмотр остаётся в журнале.",
    });
    const file = html`<p>${note}</p><form method="post" action="/desk/payouts/files/${id}"><div class="acts">${button(say({ en: "Download", ru: "Скачать" }))}</div></form>`;
    const body = html`${one && card(undefined, factsOf(sight, readPayoutBatches, "items", one, fields))}${
      may(revealPayoutBatch) && card(say({ en: "For the bank", ru: "Для банка" }), file)
    }${may(settlePayoutBatch) && card(say(settle.title), await formOf(sight, settle))}`;
    const title = say({ en: "File of payouts", ru: "Файл выводов" });
    return { title, body, command: `kopeck payout-batch save ${id}` };
  },
});

const download = desk.page({
  method: "POST",
  path,
  needsProof: true,
  async show(sight) {
    const batch_id = sight.visit.params["batch_id"] ?? "";
    const not_for_bank = sight.visit.form["not_for_bank"] === "true";
    try {
      const wish = { batch_id, not_for_bank };
      const { filename: name, content } = await sight.ask(revealPayoutBatch, wish);
      const type = "application/octet-stream";
      return { kind: "download", name, type, bytes: Buffer.from(content, "base64") };
    } catch (error) {
      if (!isFailure(error) || error.code !== "payout_batch_over") throw error;
      return notForBank(sight, batch_id, error);
    }
  },
});

/** Why it is not for the bank, and the way to look at it all the same. */
function notForBank({ say, look }: DeskSight, id: string, failure: Failure): Screen {
  const label = say({
    en: "Download it to look at, not for the bank",
    ru: "Скачать, чтобы посмотреть: не для банка",
  });
  const way = say({
    en: "If the bank never had it: bring an answer with retry for each payout that is still to be sent, and make a new file of those.",
    ru: "Если в банке его не было: загрузите ответ с retry по каждому выводу, который ещё надо отправить, и соберите из них новый файл.",
  });
  const asked = button(label, { name: "not_for_bank", value: "true", kind: "danger" });
  const here = `/desk/payouts/files/${id}`;
  const body = html`${notice("bad", failure.words(look.language))}<p>${way}</p><form method="post" action="${here}"><div class="acts">${asked}${link(say({ en: "Back to the file", ru: "Назад к файлу" }), here, "plain")}</div></form>`;
  return {
    title: say({ en: "Not for the bank any more", ru: "Больше не для банка" }),
    body,
    status: failure.status,
  };
}

export const payoutFilePages: readonly WebPage[] = [
  ...list,
  ...make,
  ...formPages(desk, settle),
  detail,
  download,
];
