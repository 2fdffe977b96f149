// A statement in the format of 1C, as a bank would write it: for tests that import one.

interface Movement {
  /** In roubles; what left has a minus. */
  readonly sum: number;
  readonly number?: string;
  readonly from?: string;
  readonly to?: string;
  readonly purpose?: string;
  /** Where it is of an earlier day than its section. */
  readonly day?: string;
  /** HH:MM:SS, where the bank tells it. */
  readonly time?: string;
}

export interface Account {
  readonly account: string;
  readonly opening?: number;
  /** By the day, YYYY-MM-DD: a section each. */
  readonly days: Readonly<Record<string, readonly Movement[]>>;
}

const STRANGER = "40817810099999999999";

export function statement1c(accounts: readonly Account[]): string {
  const rows = ["1CClientBankExchange", "ВерсияФормата=1.03", "Кодировка=Windows"];
  const documents: string[] = [];
  for (const { account, opening = 0, days } of accounts) {
    let balance = Math.round(opening * 100);
    for (const [day, movements] of Object.entries(days)) {
      const date = dateOf(day);
      const [begins = day] = [day, ...movements.map((one) => one.day ?? day)].toSorted();
      const came = movements.filter(({ sum }) => sum > 0).reduce((all, one) => all + cents(one), 0);
      const went = movements.filter(({ sum }) => sum < 0).reduce((all, one) => all - cents(one), 0);
      rows.push(
        "СекцияРасчСчет",
        `ДатаНачала=${dateOf(begins)}`,
        `ДатаКонца=${date}`,
        `РасчСчет=${account}`,
      );
      rows.push(`НачальныйОстаток=${money(balance)}`, `ВсегоПоступило=${money(came)}`);
      balance += came - went;
      rows.push(`ВсегоСписано=${money(went)}`, `КонечныйОстаток=${money(balance)}`);
      rows.push("КонецРасчСчет");
      for (const [index, movement] of movements.entries()) {
        const isIn = movement.sum > 0;
        const { number = String(index + 1), purpose = "Перевод", time } = movement;
        const { from = isIn ? STRANGER : account, to = isIn ? account : STRANGER } = movement;
        const booked = dateOf(movement.day ?? day);
        documents.push("СекцияДокумент=Платежное поручение", `Номер=${number}`, `Дата=${booked}`);
        documents.push(`Сумма=${money(Math.abs(cents(movement)))}`);
        if (time !== undefined) {
          documents.push(`КвитанцияДата=${booked}`, `КвитанцияВремя=${time}`);
        }
        documents.push(`ПлательщикСчет=${from}`, "Плательщик1=Иван П.", `ПолучательСчет=${to}`);
        documents.push(isIn ? `ДатаПоступило=${booked}` : `ДатаСписано=${booked}`);
        documents.push(`НазначениеПлатежа=${purpose}`, "КонецДокумента");
      }
    }
  }
  return [...rows, ...documents, "КонецФайла", ""].join("\r\n");
}

function dateOf(day: string): string {
  return day.split("-").toReversed().join(".");
}

function cents({ sum }: Movement): number {
  return Math.round(sum * 100);
}

function money(minor: number): string {
  return (minor / 100).toFixed(2);
}
