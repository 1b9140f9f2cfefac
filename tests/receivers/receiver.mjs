// A receiver of oncepay's webhooks, with Node.js alone: WEBHOOK_SECRET=whsec_... node receiver.mjs 8000
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace(/^whsec_/, ""), "base64");
// In a shop: two tables, written together with the work that a message asks for.
const seen = new Set(), versions = new Map();

function verified(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures = "" } = headers;
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  // The bytes that came, not JSON that was written anew.
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
  const ours = Buffer.from(`v1,${mac}`);
  return signatures.split(" ").map((one) => Buffer.from(one)) // several during a rotation
    .some((one) => one.length === ours.length && timingSafeEqual(one, ours));
}

function take(id, { type, data }) {
  if (seen.has(id)) return; // sent again: done already
  if (type.startsWith("entitlement.")) { // each moves a quantity, in whatever order they come
    console.log(type, data.kind, data.quantity);
  } else if (data.version > (versions.get(data.order_no) ?? 0)) { // an older version is old news
    versions.set(data.order_no, data.version);
    console.log(data.order_no, data.status);
  }
  seen.add(id);
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const genuine = verified(request.headers, body);
  if (genuine) take(request.headers["webhook-id"], JSON.parse(body));
  response.writeHead(genuine ? 204 : 401).end();
}).listen(Number(process.argv[2]), "127.0.0.1");
