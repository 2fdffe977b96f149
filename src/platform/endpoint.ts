// An endpoint as a value: path, gate, input, answer, and a handler of one call or of a set.

import type { Static, TObject, TSchema } from "typebox";
import type { App } from "./app.ts";
import type { JsonObject } from "./body.ts";
import type { Callers } from "./db.ts";
import type { Language } from "./failure.ts";

/** Who a caller says they are; the identifier is a UUID in lower case. */
export interface Credentials {
  readonly id: string;
  readonly secret: string;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A way to prove who one is. Looking up many at once keeps it off the critical path. */
export interface Gate<Principal> {
  readonly name: string;
  readonly header: string;
  readonly description: string;
  /** Reads the secret where that one header is not all of it, with the body's text as it came. */
  secretOf?(headers: Headers, body: string | undefined): string;
  /** Whose connections it and its endpoints work on; merchants' without it. */
  readonly callers?: Callers;
  /**
   * Undefined for credentials that do not hold; the work is the same either way. An error for one that
   * holds and is not enough.
   */
  lookUp(
    app: App,
    presented: readonly Credentials[],
  ): Promise<readonly (Principal | Error | undefined)[]>;
  /** What a caller whose credentials do not hold is told; the header is named where it was not sent. */
  refusal(missing: string | undefined): Error;
  /** For who is proven otherwise, by a session: whether a door with this method is theirs. An error says why not. */
  admits?(principal: Principal, method: Endpoint["method"]): Error | undefined;
  /** The shop or merchant whose reads have one limit together; without it they have none. */
  accountOf?(principal: Principal): string;
  /** What they are answered in where the request names no language; English without it. */
  language?(principal: Principal): Language;
  /** Who is known and kept out all the same, in words for the description. */
  readonly forbids?: string;
}

/** What a request brings along as its secret; empty where it brings none. */
export function secretIn(
  gate: Gate<unknown>,
  { headers, written }: { readonly headers: Headers; readonly written: string | undefined },
): string {
  if (gate.secretOf !== undefined) return gate.secretOf(headers, written);
  const secret = headers[gate.header];
  return typeof secret === "string" ? secret : "";
}

/** What changes something has no limit of its own. */
export function accountOf({ method, gate }: Endpoint, call: Call<never, unknown>) {
  return method === "GET" ? gate.accountOf?.(call.principal) : undefined;
}

export interface Call<Input, Principal> {
  readonly input: Input;
  readonly principal: Principal;
}

interface Door<Input extends TObject, Data extends TSchema, Principal> {
  readonly method: "GET" | "POST";
  /** Fields named in the path are taken from it; the rest from the body or, for GET, the query. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly gate: Gate<Principal>;
  /** The field of the input that says who calls; none where the secret alone does. */
  readonly identifier?: string & keyof Static<Input>;
  readonly input: Input;
  /**
   * Puts what a caller of another dialect has sent into this door's own form, before it is checked. The
   * source is the body's text, where it has numbers that a double may not hold.
   */
  translate?(input: JsonObject, principal: Principal, source: string | undefined): void;
  readonly data: Data;
  /** A field that the input does not have is refused; without it, it is ignored. */
  readonly refusesUnknown?: true;
  /**
   * The largest body that it takes, where the usual one does not hold what it is for. Only for those
   * whose identifier is in the path, or who have none: who calls is asked before a large body is read.
   */
  readonly maxBodyBytes?: number;
  /** Statuses beyond 401, 422, 500 and 503 that the description names. */
  readonly notFound?: string;
  /** Whether a 422 carries a list of problems instead of the first one. */
  readonly problems: "first" | "all";
}

interface PlainDoor<Input extends TObject, Data extends TSchema, Principal>
  extends Door<Input, Data, Principal> {
  handle(app: App, call: Call<Static<Input>, Principal>): Promise<Static<Data>>;
  /**
   * Of a long poll: resolves with what to ask once more, as soon as that is worth it, or with nothing where
   * the first answer will do. Who waits here holds no place among the calls that are under way.
   */
  askAgain?(
    app: App,
    call: Call<Static<Input>, Principal>,
    data: Static<Data>,
    gone: AbortSignal,
  ): Promise<Static<Input> | undefined>;
}

/** Takes many calls and answers each, with data or an error of its own. */
interface HotDoor<Input extends TObject, Data extends TSchema, Principal>
  extends Door<Input, Data, Principal> {
  handleSet(
    app: App,
    calls: readonly Call<Static<Input>, Principal>[],
  ): Promise<readonly (Static<Data> | Error)[]>;
  /**
   * How many of its sets may be on their way at once; one without it. A second one is worth it where a
   * set takes several turns with the database: while one waits for an answer, the other computes.
   */
  readonly lanes?: number;
}

export type HotEndpoint = HotDoor<TObject, TSchema, unknown>;
export type PlainEndpoint = PlainDoor<TObject, TSchema, unknown>;
export type Endpoint = PlainEndpoint | HotEndpoint;

/** What a door takes and gives, for whoever asks it inside the house; at run time nothing is there of it. */
export type Asked<Input, Data> = Endpoint & {
  readonly asked?: { readonly input: Input; readonly data: Data };
};

export type Answer<Door> = Door extends { readonly asked?: { readonly data: infer Data } }
  ? Data
  : never;

export function endpoint<Input extends TObject, Data extends TSchema, Principal>(
  definition: PlainDoor<Input, Data, Principal>,
): Asked<Static<Input>, Static<Data>> {
  // The list of all endpoints forgets each one's types; they were checked right here.
  return definition as unknown as Endpoint;
}

export function hotEndpoint<Input extends TObject, Data extends TSchema, Principal>(
  definition: HotDoor<Input, Data, Principal>,
): Asked<Static<Input>, Static<Data>> {
  return definition as unknown as Endpoint;
}

export function endpointName({ method, path }: Pick<Endpoint, "method" | "path">): string {
  return `${method} ${path}`;
}
