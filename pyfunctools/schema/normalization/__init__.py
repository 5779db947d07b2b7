"""Any draft -> one spelling of JSON Schema 2020-12. `normalize` is the verb."""
