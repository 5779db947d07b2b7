"""What runs around a function: wrappers of one protocol, `run(Run) -> Outcome`.

A wrapper gets a `Run`, may change it, passes it to the next one, and may change the outcome that
comes back. The order, from the caller to the function:

    recorded      what came of a resumed call is recorded for its ticket
    hooked        the program's own code runs before the call, and after it with its outcome
    masked        what a person or the program gave is masked in the outcome
    with_values   a person's values are asked for and merged with the model's part
    with_fixed    the program's values are added, and the whole is validated
    approved      a person sees the whole arguments and approves, edits or declines
    dialog        a remote server asks a person in the middle of the call

`hooks.wrapped` composes those that a call needs: a new one is a function and a line there.
"""
