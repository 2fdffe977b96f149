// kopeck openapi: the description of every endpoint, the sandbox's included.

import { apiOf } from "../../features/index.ts";
import { readConfig } from "../../platform/config.ts";
import { describeApi } from "../../platform/openapi.ts";
import type { LocalWork } from "../command.ts";

export const openapi: LocalWork = {
  description: "Prints the description of the API as OpenAPI, in JSON. It needs no database.",
  options: [],
  example: "kopeck openapi > openapi.json",
  async run({ print }) {
    print(`${JSON.stringify(describeApi(apiOf("sandbox"), readConfig({})), null, 2)}\n`);
    return 0;
  },
};
