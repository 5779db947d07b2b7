"""A controller in somebody else's hands: frameworks for agents. None of these knows another."""
