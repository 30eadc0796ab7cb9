"""The ASGI app that pages, API and voice share: connections, middleware, failures, what requests may ask for."""
