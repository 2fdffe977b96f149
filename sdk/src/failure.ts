// What a call throws. One class for everything that a gateway, or the way to it, can do to a call, so
// that a caller needs one `instanceof`; and one for webhooks that must not be believed.

/**
 * - `refusal`: the gateway answered, and the answer is no; `status` and `messages` say why.
 * - `timeout`: there was no whole answer in time.
 * - `network`: there was no answer at all.
 * - `unreadable`: something answered that does not speak like Kopeck, such as a proxy; `status` is its.
 *
 * After the last three, and after a refusal whose status is 500 or more, it is not known whether the gateway has
 * done what it was asked for.
 */
export type FailureKind = "refusal" | "timeout" | "network" | "unreadable";

export interface FailureDetails {
  readonly kind: FailureKind;
  readonly messages: readonly string[];
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

export class KopeckError extends Error {
  override readonly name = "KopeckError";
  readonly kind: FailureKind;
  /** The HTTP status; undefined where there was no answer. */
  readonly status: number | undefined;
  /** In the order of the fields; in the language that the client asked for. */
  readonly messages: readonly string[];
  /** The reason for programs, such as `order_taken`; it stays when the words are changed. */
  readonly code: string | undefined;
  /** What the gateway's log calls this request. */
  readonly requestId: string | undefined;
  /** How long the gateway asks to be left alone. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ kind, messages, cause, ...more }: FailureDetails) {
    super(messages.join(" "), cause === undefined ? {} : { cause });
    this.kind = kind;
    this.status = more.status;
    this.messages = messages;
    this.code = more.code;
    this.requestId = more.requestId;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

/**
 * - `missing_header`: a header that the signature needs is not there.
 * - `wrong_signature`: somebody else sent it, or it was changed on the way.
 * - `wrong_time`: rightly signed, but too old, or from the future.
 * - `not_an_event`: rightly signed, but no JSON object.
 */
export type WebhookProblem = "missing_header" | "wrong_signature" | "wrong_time" | "not_an_event";

export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly problem: WebhookProblem;

  constructor(problem: WebhookProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
