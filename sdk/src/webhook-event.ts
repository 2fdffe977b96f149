// What the gateway tells a shop of an invoice. The status says which fields are there.

interface Told {
  readonly event_id: string;
  /** The event's number among the invoice's; the highest is how the invoice stands. */
  readonly sequence: number;
  readonly invoice_id: string;
  readonly order_id: string;
  /** What the shop asked for, with two decimals. */
  readonly amount: string;
  readonly currency: string;
  readonly custom_fields: Readonly<Record<string, unknown>> | null;
}

export interface PaidEvent extends Told {
  readonly status: "success";
  readonly type: 1;
  readonly code: 1;
  readonly pay_time: string;
  readonly pay_service: string;
  /** Masked. */
  readonly payer_details: string | null;
  /** What was booked for the user. */
  readonly credited: string;
  readonly amount_received: string;
  /** Whether the money came after the details' end. */
  readonly late: boolean;
}

export interface ExpiredEvent extends Told {
  readonly status: "expired";
  readonly type: 1;
  readonly code: 31;
  readonly reject_time: string;
}

export interface FailedEvent extends Told {
  readonly status: "fail";
  readonly type: 1;
  readonly code: 32;
  readonly reject_time: string;
}

export interface RefundedEvent extends Told {
  readonly status: "refund";
  readonly type: 2;
  readonly code: 20;
  readonly refund_amount: string;
  readonly refund_reason: string;
  readonly refund_time: string;
}

export type WebhookEvent = PaidEvent | ExpiredEvent | FailedEvent | RefundedEvent;
