"""A receiver of oncepay's webhooks, with Python alone: WEBHOOK_SECRET=whsec_... python3 receiver.py 8000"""

import base64, hashlib, hmac, json, os, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
# In a shop: two tables, written together with the work that a message asks for.
seen, versions, lock = set(), {}, threading.Lock()


def verified(headers, body):
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body  # the bytes that came, not JSON that was written anew
    ours = b"v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    signatures = headers.get("webhook-signature", "").encode().split(b" ")  # several during a rotation
    return any(hmac.compare_digest(ours, one) for one in signatures)


def take(message_id, message):
    order = message["data"]
    with lock:
        if message_id in seen:  # sent again: done already
            return
        if message["type"].startswith("entitlement."):  # each moves a quantity, in whatever order they come
            print(f"{message['type']} {order['kind']} {order['quantity']}", flush=True)
        elif order["version"] > versions.get(order["order_no"], 0):  # an older version is old news
            versions[order["order_no"]] = order["version"]
            print(f"{order['order_no']} {order['status']}", flush=True)
        seen.add(message_id)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        genuine = verified(self.headers, body)
        if genuine:
            take(self.headers["webhook-id"], json.loads(body))
        self.send_response(204 if genuine else 401)
        self.end_headers()


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
