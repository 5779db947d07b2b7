"""OpenAPI and Swagger documents: a document in, functions out."""
