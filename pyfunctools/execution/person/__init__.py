"""The person in a call: tickets, approvals, masking, and whose mistake one is."""
