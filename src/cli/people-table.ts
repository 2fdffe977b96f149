// The commands about people who sign in; part of the table of all commands.

import type { Doors } from "./command.ts";

export const PEOPLE: Doors = {
  "person list": {
    call: "GET /manage/people",
    columns: "person_id name email desk_role created_at disabled_at",
  },
  "person invite": {
    call: "POST /manage/people",
    places: ["email"],
    warning: "Whoever has the link of the answer comes in as this person, once.",
    example: "--name Boris --desk-role cashier",
  },
  "person change": {
    call: "POST /manage/people/{person_id}",
    example: "--desk-role none",
  },
  "person link": {
    call: "POST /manage/people/{person_id}/link",
    warning: "Whoever has the link of the answer comes in as this person, once.",
    example: "--resets",
  },
  "person end-sessions": {
    call: "POST /manage/people/{person_id}/end-sessions",
    warning: "They are signed out everywhere.",
  },
  "person show": { call: "GET /manage/people/{person_id}" },
  "member list": {
    call: "GET /manage/users/{user_id}/people",
    columns: "person_id name email role created_at ended_at",
  },
  "member invite": {
    call: "POST /manage/users/{user_id}/people",
    warning: "Whoever has the link of the answer comes in as this person, once.",
    example: "--email vera@example.com --name Vera --role accountant",
  },
  "member change": {
    call: "POST /manage/users/{user_id}/people/{person_id}",
    example: "--role none",
  },
};
