// The ways that a state may change, read backwards: what an update to a state may find.

/** By each state those that may follow it. */
export type Edges<State extends string> = Readonly<Record<State, readonly State[]>>;

export function statesBefore<State extends string>(edges: Edges<State>, to: State): State[] {
  return (Object.keys(edges) as State[]).filter((from) => edges[from].includes(to));
}
