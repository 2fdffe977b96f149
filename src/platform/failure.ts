// Expected failures: a status, a code and words in two languages, with the platform's own.

export type Language = "en" | "ru";

export interface Failure {
  readonly status: number;
  /** For programs; it stays when the words are changed. */
  readonly code: string;
  /** What it is about, as it was sent: fields, or a header. */
  readonly fields?: readonly string[];
  readonly retryAfterSeconds?: number;
  words(language: Language): string | readonly string[];
}

export function isFailure(error: unknown): error is Failure & Error {
  return error instanceof Error && "words" in error && typeof error.words === "function";
}

/** What failed already stays where it stands; the others are worked on as one set, each with its answer. */
export async function butErrors<One, Answer>(
  ones: readonly One[],
  work: (open: readonly Exclude<One, Error>[]) => Promise<readonly Answer[]>,
): Promise<(Answer | Error)[]> {
  const open = ones.flatMap((one) => (one instanceof Error ? [] : [one as Exclude<One, Error>]));
  const answers = await work(open);
  if (answers.length !== open.length) throw new Error("One of a set got no answer.");
  const next = answers.values();
  return ones.map((one) => (one instanceof Error ? one : (next.next().value as Answer)));
}

const HTTP_FAILURES = {
  bad_request: [400, "The request is malformed.", "Запрос составлен неверно."],
  other_site: [
    403,
    "This form was not sent from our own page.",
    "Эта форма отправлена не с нашей страницы.",
  ],
  path_not_found: [404, "This path does not exist.", "Такого пути нет."],
  method_not_allowed: [
    405,
    "This method is not allowed for this path.",
    "Этот метод недопустим для этого пути.",
  ],
  request_timeout: [408, "The request took too long.", "Запрос передавался слишком долго."],
  body_too_large: [
    413,
    "The body is larger than this path takes.",
    "Тело запроса больше, чем принимает этот путь.",
  ],
  media_type_unsupported: [
    415,
    "The body must be application/json, not compressed.",
    "Тело запроса должно быть application/json, без сжатия.",
  ],
  form_expected: [415, "A form was expected.", "Ожидалась форма."],
  malformed_json: [
    422,
    "The body is not valid JSON in UTF-8, or has a number of more than 40 characters or a key __proto__.",
    "Тело запроса не является корректным JSON в UTF-8 либо содержит число длиннее 40 символов или ключ __proto__.",
  ],
  body_not_object: [
    422,
    "The body must be a JSON object.",
    "Тело запроса должно быть JSON-объектом.",
  ],
  expectation_failed: [
    417,
    "The Expect header asks for what this service does not do.",
    "Заголовок Expect требует того, чего этот сервис не делает.",
  ],
  too_many_requests: [
    429,
    "Too many requests with a wrong secret. Try again later.",
    "Слишком много запросов с неверным ключом. Попробуйте позже.",
  ],
  too_many_reads: [
    429,
    "Too many requests of yours are under way. Wait for their answers.",
    "Слишком много ваших запросов выполняется сразу. Дождитесь ответов на них.",
  ],
  too_many_visits: [
    429,
    "Too many requests from your address. Try again in a moment.",
    "Слишком много запросов с вашего адреса. Попробуйте чуть позже.",
  ],
  too_many_invitations: [
    429,
    "Too many invitations at once. Try again in three minutes.",
    "Слишком много приглашений подряд. Попробуйте через три минуты.",
  ],
  too_many_tests: [
    429,
    "Too many tests at once. Try again in a moment.",
    "Слишком много проверок подряд. Попробуйте чуть позже.",
  ],
  headers_too_large: [431, "The headers are too large.", "Заголовки слишком велики."],
  internal: [500, "Internal system error.", "Внутренняя ошибка системы."],
  no_writes: [
    503,
    "No database server takes writes. Try again later.",
    "Ни один сервер базы данных не принимает записей. Попробуйте позже.",
  ],
  overloaded: [
    503,
    "The service is overloaded. Try again later.",
    "Сервис перегружен. Попробуйте позже.",
  ],
  unavailable: [
    503,
    "The service is temporarily unavailable. Try again later.",
    "Сервис временно недоступен. Попробуйте позже.",
  ],
} as const;

export type HttpFailureCode = keyof typeof HTTP_FAILURES;

export class HttpFailure extends Error implements Failure {
  readonly code: HttpFailureCode;
  readonly status: number;
  readonly retryAfterSeconds?: number;

  constructor(code: HttpFailureCode, retryAfterSeconds?: number) {
    super(code);
    this.code = code;
    this.status = HTTP_FAILURES[code][0];
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
    else if (this.status === 503) this.retryAfterSeconds = 1;
  }

  words(language: Language): string {
    const [, en, ru] = HTTP_FAILURES[this.code];
    return language === "ru" ? ru : en;
  }
}

const FRAMEWORK_FAILURES: Readonly<Record<string, HttpFailureCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "body_too_large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "media_type_unsupported",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "bad_request",
  ECONNRESET: "bad_request",
};

/** What an error of Node, of the database or of the framework is told apart by. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export function isFrameworkError(error: unknown): boolean {
  return codeOf(error).startsWith("FST_ERR_");
}

/** What the HTTP framework itself throws at a request that it does not take. A page takes forms. */
export function frameworkFailure(error: unknown, ofPage: boolean): HttpFailure | undefined {
  const known = FRAMEWORK_FAILURES[codeOf(error)];
  if (ofPage && known === "media_type_unsupported") return new HttpFailure("form_expected");
  return known && new HttpFailure(known);
}

/** The operator did something that the process cannot start with: one line, no stack trace. */
export class StartFailure extends Error {
  readonly exitCode = 1;
}

/** Whether it is the database server's own word. */
export function isOfServer(error: unknown): error is Error {
  return error instanceof Error && "severity" in error;
}

/** A statement that was prepared is not there, or is there already: another connection than the one it was prepared on. */
const OF_POOLERS = new Set(["26000", "42P05"]);
const POOLER =
  "Is it behind a pooler in transaction mode that knows no prepared statements, such as PgBouncer before 1.21? Use session mode";

/** At the start, a database that is away or says no is the operator's to mend: one line. */
export function asStartFailure(error: unknown): unknown {
  const cause = error instanceof HttpFailure ? error.cause : error;
  if (!(cause instanceof Error) || cause instanceof StartFailure) return cause;
  if (!(error instanceof HttpFailure) && !isOfServer(cause)) return error;
  const code = codeOf(cause);
  // What these say needs no number: who may not come in, no such database, no right.
  const isPlain = !isOfServer(cause) || /^(28|3D|42501)/.test(code);
  const reason = cause.message || code || "no reason given";
  const hint = OF_POOLERS.has(code) ? `. ${POOLER}` : "";
  return new StartFailure(
    `The database cannot be used: ${reason}${isPlain ? "" : ` (SQLSTATE ${code})`}${hint}`,
  );
}

/** Which of the two languages an Accept-Language header prefers; the other one where it names neither. */
export function preferredLanguage(
  header: string | undefined,
  otherwise: Language = "en",
): Language {
  let best: { language: Language; quality: number } = { language: otherwise, quality: 0 };
  if (header === undefined || !/ru|en/i.test(header)) return otherwise;
  for (const part of header.split(",")) {
    const [tag = "", ...params] = part.trim().toLowerCase().split(";");
    const language = tag.split("-")[0];
    const given = params.map((param) => /^\s*q=([\d.]+)\s*$/.exec(param)?.[1]).find(Boolean);
    const quality = Number(given ?? 1);
    const isOurs = language === "en" || language === "ru";
    if (isOurs && quality > best.quality) best = { language, quality };
  }
  return best.language;
}
