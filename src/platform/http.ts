// Node's own http and https, as they are. Who imports "node:http" has Node load its fetch and WebSocket, too,
// because a module shows all that it has: 60 ms of every start, for what nobody here uses.

export const http = process.getBuiltinModule("node:http");
export const https = process.getBuiltinModule("node:https");
