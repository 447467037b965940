"""The client that openapi-python-client generates."""

from entracte_client import AuthenticatedClient
from entracte_client.api.approvals import decide_approval, list_approvals
from entracte_client.api.sessions import list_messages, send_message, start_chat
from entracte_client.models import DecisionApprove, DecisionReject, NewMessage, NewSession
from entracte_client.models.decision_approve_decision import DecisionApproveDecision
from entracte_client.models.decision_reject_decision import DecisionRejectDecision
from entracte_client.types import UNSET

from story import ADDRESS, TOKEN, WORKSPACE, play

DECISIONS = {
    "approve": DecisionApprove(decision=DecisionApproveDecision.APPROVE),
    "reject": DecisionReject(decision=DecisionRejectDecision.REJECT),
}


class Client:
    def __init__(self):
        self.http = AuthenticatedClient(base_url=ADDRESS, token=TOKEN)

    def start(self, provider):
        body = NewSession(provider=provider, require_validation=True)
        return self.answer(start_chat.sync_detailed(WORKSPACE, client=self.http, body=body))

    def send(self, session, text):
        return self.answer(send_message.sync_detailed(WORKSPACE, session, client=self.http, body=NewMessage(text=text)))

    def approvals(self):
        return self.answer(list_approvals.sync_detailed(WORKSPACE, client=self.http))

    def decide(self, approval, digest, decision):
        options = {"client": self.http, "body": DECISIONS[decision], "if_match": f'"{digest}"'}
        return self.answer(decide_approval.sync_detailed(WORKSPACE, approval, **options))

    def messages(self, session, limit, after=UNSET):
        return self.answer(list_messages.sync_detailed(WORKSPACE, session, client=self.http, limit=limit, after=after))

    @staticmethod
    def after(page):
        return page.next_

    @staticmethod
    def answer(response):
        return response.status_code, response.parsed


play(Client())
