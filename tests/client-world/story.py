"""What a person does with the API, whichever client was generated from its document.

A client has `start`, `send`, `approvals`, `decide` and `messages`; each returns the status and the client's own object.
"""

import os
import time

WORKSPACE = "local:main"
ADDRESS, TOKEN = os.environ["ADDRESS"], os.environ["TOKEN"]


def until(look):
    for _ in range(200):
        found = look()
        if found is not None:
            return found
        time.sleep(0.05)
    raise AssertionError("it does not happen")


def play(client):
    """A chat with an approval, a decision that comes too late, and a page after another."""
    status, session = client.start("stage")
    assert status == 201, status
    status, _ = client.send(session.id, "Make a zone.")
    assert status == 202, status
    card = until(lambda: next((card for card in client.approvals()[1].items if card.session == session.id), None))
    status, _ = client.decide(card.id, card.digest, "approve")
    assert status == 200, status

    def told():
        texts = [message.text for message in client.messages(session.id, 50)[1].items]
        return texts if any("It is made." in text for text in texts) else None

    texts = until(told)
    status, _ = client.decide(card.id, card.digest, "reject")
    assert status == 409, status
    first = client.messages(session.id, 1)[1]
    assert len(first.items) == 1 and client.after(first), "there is another page"
    second = client.messages(session.id, 1, client.after(first))[1]
    assert second.items[0].id != first.items[0].id
    print(f"{len(texts)} messages")
