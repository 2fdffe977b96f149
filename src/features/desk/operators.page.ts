// /desk/operators: tokens of programs that manage the gateway. Guards that a token is seen once.

import { createOperator, readOperators } from "../operators/manage-operators.endpoint.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { revokeOperator } from "../people/revoke-operator.endpoint.ts";
import { about, REVOKE, shownOnce, tokenColumns, wayTo } from "./door-parts.ts";
import { desk } from "./site.ts";

const MAKE = { en: "Make a token", ru: "Создать токен" };

const lists = listPages(desk, {
  path: "/desk/operators",
  title: { en: "Operators and tokens", ru: "Операторы и токены" },
  door: readOperators,
  columns(sight, items) {
    type Token = (typeof items)[number];
    const hrefOf = ({ operator_id: id }: Token) => `/desk/operators/${id}/revoke`;
    const { state, act } = tokenColumns(sight, revokeOperator, hrefOf);
    return ["name", "role", state, "created_at", "ends_at", "operator_id", act];
  },
  above: (sight) => wayTo(sight, createOperator, MAKE, "/desk/operators/new"),
  nothing: { en: "No token yet", ru: "Токенов пока нет" },
  command: "kopeck operator list",
});

const making = formPages(desk, {
  path: "/desk/operators/new",
  title: MAKE,
  door: createOperator,
  note: {
    en: "For the command line and for programs; people are invited instead.",
    ru: "Для командной строки и программ; людей приглашают.",
  },
  shows: ({ token }, sight) => shownOnce(sight, { token }),
  command: "kopeck operator create reports --role viewer --expires-in-days 90",
});

const revoking = formPages(desk, {
  path: "/desk/operators/:operator_id/revoke",
  title: { en: "Revoke a token", ru: "Отозвать токен" },
  submit: REVOKE,
  door: revokeOperator,
  above: about("operator_id"),
  danger: true,
  note: {
    en: "It stops working at once and for ever. A person loses their role at the desk, and keeps what they are elsewhere.",
    ru: "Перестанет работать сразу и навсегда. Человек теряет роль в шлюзе, остальное у него остаётся.",
  },
  command: "kopeck operator revoke",
});

export const operatorPages = [...lists, ...making, ...revoking];
