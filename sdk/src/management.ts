// What an operator's software calls, and that of a merchant's people: every /manage, /cabinet and /sandbox endpoint
// by its path, typed by the API's own description, and lists as something to loop over.

import type { Api } from "./api.ts";
import { type CallOptions, type TransportOptions, transport } from "./transport.ts";

export interface ManagementOptions extends TransportOptions {
  /** Sent as "Authorization: Bearer …". */
  readonly token: string;
}

interface Door {
  readonly input: object;
  readonly data: unknown;
}

/** How every list answers: some of its items, and where to go on after them. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

type Managed = `/manage/${string}` | `/cabinet/${string}` | `/sandbox/${string}`;
type Path<Doors, Method extends string> = {
  [Key in keyof Doors]: Key extends `${Method} ${infer Found extends Managed}` ? Found : never;
}[keyof Doors];
type DoorAt<Doors, Key extends string> = Key extends keyof Doors
  ? Doors[Key] extends Door
    ? Doors[Key]
    : never
  : never;
type Data<Doors, Key extends string> = DoorAt<Doors, Key>["data"];
type ListPath<Doors> = {
  [Found in Path<Doors, "GET">]: Data<Doors, `GET ${Found}`> extends Page<unknown> ? Found : never;
}[Path<Doors, "GET">];
type Item<Doors, Key extends string> = Data<Doors, Key> extends Page<infer Found> ? Found : never;

/** What needs no input may be called without one. */
type Rest<Input> =
  Record<never, never> extends Input
    ? [input?: Input, options?: CallOptions]
    : [input: Input, options?: CallOptions];
type Arguments<Doors, Key extends string> = Rest<DoorAt<Doors, Key>["input"]>;

/** A door that takes one thing or a list of them answers in kind. */
type Listing<Doors, Key extends string> = DoorAt<Doors, Key>["input"] extends {
  readonly items?: infer Found;
}
  ? Exclude<Found, undefined>
  : never;
type ListingPath<Doors> = {
  [Found in Path<Doors, "POST">]: Data<Doors, `POST ${Found}`> extends infer Answer
    ? Answer extends { readonly items: unknown }
      ? Found
      : never
    : never;
}[Path<Doors, "POST">];
type Listed<Answer> = Extract<Answer, { readonly items: unknown }>;
type Alone<Answer> = Exclude<Answer, { readonly items: unknown }>;

export interface ManagementClient<Doors = Api> {
  get<P extends Path<Doors, "GET">>(
    path: P,
    ...rest: Arguments<Doors, `GET ${P}`>
  ): Promise<Data<Doors, `GET ${P}`>>;
  post<P extends ListingPath<Doors>>(
    path: P,
    input: { readonly items: Listing<Doors, `POST ${P}`> },
    options?: CallOptions,
  ): Promise<Listed<Data<Doors, `POST ${P}`>>>;
  post<P extends Path<Doors, "POST">>(
    path: P,
    ...rest: Arguments<Doors, `POST ${P}`>
  ): Promise<Alone<Data<Doors, `POST ${P}`>>>;
  /** A list, page after page, from `after` on where it is given. */
  pages<P extends ListPath<Doors>>(
    path: P,
    ...rest: Arguments<Doors, `GET ${P}`>
  ): AsyncIterable<Data<Doors, `GET ${P}`>>;
  /** A list, item after item; the next page is asked for when the loop gets there. */
  items<P extends ListPath<Doors>>(
    path: P,
    ...rest: Arguments<Doors, `GET ${P}`>
  ): AsyncIterable<Item<Doors, `GET ${P}`>>;
}

type Input = Readonly<Record<string, unknown>>;

export function managementClient(options: ManagementOptions): ManagementClient {
  const request = transport(options);
  const headers = { authorization: options.token && `Bearer ${options.token}` };

  const call = (method: "GET" | "POST") => {
    return (path: string, input: Input = {}, { signal }: CallOptions = {}): Promise<unknown> =>
      request({ method, path, input, headers, signal });
  };
  const get = call("GET");

  async function* pages(path: string, input: Input = {}, rest: CallOptions = {}) {
    let after = input["after"];
    do {
      const page = (await get(path, { ...input, after }, rest)) as Page<unknown>;
      yield page;
      after = page.next;
    } while (after !== null);
  }

  async function* items(path: string, input: Input = {}, rest: CallOptions = {}) {
    for await (const page of pages(path, input, rest)) yield* page.items;
  }

  // The types follow from the paths; the code is the same for all of them.
  return { get, post: call("POST"), pages, items } as unknown as ManagementClient;
}
