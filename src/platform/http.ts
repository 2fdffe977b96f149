// Node's own http and https; importing "node:http" costs each start 60 ms for fetch and WebSocket.

export const http = process.getBuiltinModule("node:http");
export const https = process.getBuiltinModule("node:https");
