// How banks word what they tell a phone, a table by bank. A template is the whole text: nothing may stand
// before or after it. Guards that reading takes the same short time whatever the text is: every repetition is
// bounded, and what may repeat never holds the sign that ends it more often than a name holds a space.

/** What a template reads is: money of somebody, the owner's own, or money that leaves. */
type Means = "income" | "own" | "outflow";

export interface Template {
  readonly means: Means;
  /** A companion is the bank's second wording of what another message tells as well. */
  readonly role: "primary" | "companion";
  readonly pattern: RegExp;
}

/** The parts that templates are made of, by the names that stand for them. */
const PARTS: Readonly<Record<string, string>> = {
  AMOUNT: String.raw`(?<amount>\d{1,3}(?: \d{3}){1,4}(?:[.,]\d{1,2})?|\d{1,12}(?:[.,]\d{1,2})?)`,
  FEE: String.raw`(?<fee>\d{1,3}(?: \d{3}){1,4}(?:[.,]\d{1,2})?|\d{1,12}(?:[.,]\d{1,2})?)`,
  BALANCE: String.raw`(?<balance>\d{1,3}(?: \d{3}){1,4}(?:[.,]\d{1,2})?|\d{1,12}(?:[.,]\d{1,2})?)`,
  TIME: String.raw`(?<time>\d\d:\d\d)`,
  DAY: String.raw`(?<day>\d\d[./]\d\d(?:[./](?:\d{4}|\d\d))?)`,
  CARD: String.raw`(?<card>\d{4})`,
  ACCOUNT: String.raw`(?<account>\d{3,4})`,
  ENDING: String.raw`(?<ending>\d{4})`,
  /** Letters, as in «Сардорбек Ж.» or «Il'ya Aleksandrovich B». */
  PAYER: String.raw`(?<payer>\p{L}[\p{L}.'’ -]{0,79})`,
  /** A name that ends with an initial, where another name follows it. */
  FULL_PAYER: String.raw`(?<payer>\p{L}[\p{L}'’ -]{0,79}\.)`,
  BANK: String.raw`\p{L}[\p{L}. -]{0,49}`,
  PLACE: String.raw`[\p{L}\d][\p{L}\d.,*'&/_ -]{0,59}`,
  /** Сбер names an account, or a card by its system. */
  SBER: String.raw`(?:(?:ПЛАТ\.)?СЧ[ЕЁ]Т(?<account>\d{4})|(?:Счёт карты )?(?:VISA|MIR|МИР|ECMC|MAES)-?(?<card>\d{4})|МИР Сберкарта(?<card>\d{4}))`,
};

function whole(text: string): RegExp {
  const source = text.replace(/\{([A-Z_]{2,})\}/g, (_all, name: string) => {
    const part = PARTS[name];
    if (part === undefined) throw new Error(`There is no part ${name} of templates.`);
    return part;
  });
  return new RegExp(`^${source}$`, "u");
}

const income = (text: string): Template => ({
  means: "income",
  role: "primary",
  pattern: whole(text),
});
const companion = (text: string): Template => ({ ...income(text), role: "companion" });
const own = (text: string): Template => ({ ...income(text), means: "own" });
const outflow = (text: string): Template => ({ ...income(text), means: "outflow" });

/** The banks whose texts are known. «translit» is one that writes in Latin letters and names itself nowhere. */
export const TEMPLATES = {
  sber: [
    income(
      String.raw`{SBER}(?: {DAY})? {TIME} Перевод(?: из {BANK})? \+?{AMOUNT}р от {PAYER} Баланс: {BALANCE}р`,
    ),
    // Money that was put in at a cash machine (ATM) is nobody's transfer.
    income(
      String.raw`{SBER}(?: {DAY})? {TIME} зачисление {AMOUNT}р(?: (?!ATM\b){BANK})? Баланс: {BALANCE}р`,
    ),
    companion(String.raw`{SBER}(?: {DAY})? {TIME} {PAYER} перевел\(а\) вам {AMOUNT}р\.`),
    companion(
      `{SBER} {DAY}(?: {TIME})? зачислен перевод(?: по СБП)? {AMOUNT}р из {BANK} от {PAYER}`,
    ),
    income(
      String.raw`Перевод от {FULL_PAYER} {BANK} \+ ?{AMOUNT} ₽ - Баланс: {BALANCE} ₽ СЧЁТ •• {ACCOUNT}`,
    ),
    income(String.raw`Перевод из {BANK} \+{AMOUNT}р от {PAYER} {SBER} - Баланс: {BALANCE}р`),
    income(String.raw`\[{DAY} в {TIME}\] Перевод от {PAYER} \+{AMOUNT}р`),
    outflow(
      `{SBER}(?: {DAY})? {TIME} перевод {AMOUNT}р(?: Комиссия {FEE}р)?(?: {PLACE})? Баланс: {BALANCE}р`,
    ),
    outflow(
      `{SBER}(?: {DAY})? {TIME} (?:Перевод {AMOUNT}р через СБП|Покупка {AMOUNT}р) {PLACE} Баланс: {BALANCE}р`,
    ),
  ],
  tinkoff: [
    income(String.raw`Пополнение, счет RUB\. {AMOUNT} RUB\.(?: {PAYER})? Доступно {BALANCE} RUB`),
    income(String.raw`Пополнение на {AMOUNT} ₽, счет RUB\. {PAYER} Доступно {BALANCE} ₽`),
    outflow(String.raw`Перевод\. Счет RUB\. {AMOUNT} RUB\. {PAYER} Баланс {BALANCE} RUB`),
  ],
  vtb: [
    income(
      String.raw`(?:ВТБ Онлайн \| )?Поступление {AMOUNT}р Счет\*{ACCOUNT} от {PAYER} Баланс {BALANCE}р {TIME}`,
    ),
  ],
  alfa: [
    // Advertising may follow the day; it has no figures.
    income(
      String.raw`(?:\d\*|\*\*){ENDING}; Postupleniye; Summa: {AMOUNT} RUR; Ostatok: {BALANCE} RUR; {DAY};(?: [\p{L} .,!…-]{0,160})?`,
    ),
  ],
  akbars: [
    income(
      String.raw`Карта\*{CARD} пополнение на {AMOUNT}RUR\.(?: Перевод от (?<payer>\d{6}\*\*\d{4})\.)?{PLACE}\. {DAY} {TIME}\. Остаток {BALANCE}RUR`,
    ),
  ],
  ozon: [
    income(
      String.raw`Пополнение через СБП на {AMOUNT} ₽\. {FULL_PAYER} {BANK}\. Баланс {BALANCE} ₽`,
    ),
    own(
      String.raw`Пополнение со своего счёта через СБП на {AMOUNT} ₽\. {FULL_PAYER} {BANK}\. Баланс {BALANCE} ₽`,
    ),
  ],
  bspb: [income(String.raw`\*{ENDING} Зачислен перевод по СБП {AMOUNT}RUB {TIME} от {PAYER}`)],
  mts: [income(String.raw`Поступление {AMOUNT}р\. {PAYER} через СБП\.`)],
  rosbank: [
    income(String.raw`Schet A\*{ACCOUNT}: Popolnenie {AMOUNT} RUB; Dostupno: {BALANCE} RUB; {DAY}`),
  ],
  translit: [
    companion(
      String.raw`SBP\. Poluchen perevod {DAY} {TIME} \(msk\)\. Schet {ACCOUNT}\. Zachisleno {AMOUNT} r\. ot {PAYER} iz {BANK} BIK \d{9}\.`,
    ),
    income(
      String.raw`Karta \*{CARD}: {DAY} {TIME}, popolnenie {AMOUNT} RUR\. Dostupno {BALANCE} RUR\.`,
    ),
  ],
} as const satisfies Readonly<Record<string, readonly Template[]>>;

export type TemplateBank = keyof typeof TEMPLATES;

export const TEMPLATE_BANKS = Object.keys(TEMPLATES) as TemplateBank[];
