"""A person in a call: questions, answers, approvals, tickets, masking, and mistakes."""
