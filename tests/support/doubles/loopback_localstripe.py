"""localstripe, a double of Stripe that others wrote, bound to the loopback: its own command binds every interface.

    python loopback_localstripe.py PORT

It refuses parameters that it does not know and that Stripe takes. They are taken here: a description and the automatic
methods of an intent are left alone, and lists are narrowed by `created`. An intent also says here what was received.
"""

import sys

from aiohttp import web
from localstripe import resources, server


def leaves_alone(kind, names):
    create = kind._api_create.__func__

    def taken(cls, **data):
        return create(cls, **{name: value for name, value in data.items() if name not in names})

    kind._api_create = classmethod(taken)


def lists_by_created(kind):
    whole = kind._api_list_all.__func__

    def narrowed(cls, url, created=None, **data):
        found = whole(cls, url, **data)
        bounds = {name: int(value) for name, value in (created or {}).items()}
        fits = {
            "gte": lambda at, bound: at >= bound,
            "lte": lambda at, bound: at <= bound,
            "lt": lambda at, bound: at < bound,
        }
        found._list = [it for it in found._list if all(fits[name](it.created, bound) for name, bound in bounds.items())]
        found._list.sort(key=lambda it: it.created, reverse=True)
        return found

    kind._api_list_all = classmethod(narrowed)


# It would keep everything in a file for its next start.
resources.store.dump_to_disk = lambda: None
resources.PaymentIntent.amount_received = property(lambda it: it.amount if it.status == "succeeded" else 0)
leaves_alone(resources.PaymentIntent, {"description", "automatic_payment_methods"})
lists_by_created(resources.PaymentIntent)
lists_by_created(resources.BalanceTransaction)
web.run_app(server.app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
