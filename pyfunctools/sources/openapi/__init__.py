"""OpenAPI and Swagger documents: a document in, functions out.

Every function of this room raises `DocumentError` for what it cannot read, such as a reference
without a target. `reader` skips the operation and keeps the reason.
"""
