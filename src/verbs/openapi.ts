// kopeck openapi: the description of every endpoint, the sandbox's included.

import { endpointsOf } from "../features/index.ts";
import { describeApi } from "../platform/openapi.ts";
import { type Command, readOptions } from "./verb.ts";

export const openapi: Command = {
  help: `Usage: kopeck openapi

Prints the description of the API as OpenAPI, in JSON. It needs no database.

  kopeck openapi > openapi.json
`,
  async run(call) {
    readOptions("openapi", call, {});
    call.print(`${JSON.stringify(describeApi(endpointsOf("sandbox")), null, 2)}\n`);
    return 0;
  },
};
