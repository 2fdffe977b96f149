// What the gateway tells a shop of an invoice, and a user of a payout. The status says which fields are there;
// of a payout the type is 3.

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

/** Somebody tries the address, by hand: it is about no payment. */
export interface TestEvent {
  readonly status: "test";
  readonly type: 0;
  readonly code: 0;
  readonly event_id: string;
  readonly shop_id: string;
  readonly message: string;
}

interface ToldOfPayout {
  readonly event_id: string;
  /** The event's number among the payout's; the highest is how the payout stands. */
  readonly sequence: number;
  readonly type: 3;
  readonly payoff_id: string;
  readonly order_id: string;
  readonly service: string;
  /** Masked. */
  readonly wallet: string;
  /** What the user asked for, what it cost and what is received, each with two decimals. */
  readonly amount: string;
  readonly commission: string;
  readonly amount_receive: string;
}

export interface PayoutPaidEvent extends ToldOfPayout {
  readonly status: "success";
  readonly code: 1;
  readonly paid_at: string;
  readonly error_message: null;
}

export interface PayoutFailedEvent extends ToldOfPayout {
  readonly status: "fail";
  /** 41 failed, 42 canceled, 43 returned: its money came back. */
  readonly code: 41 | 42 | 43;
  readonly paid_at: string | null;
  readonly error_message: string | null;
}

export type PayoutEvent = PayoutPaidEvent | PayoutFailedEvent;
