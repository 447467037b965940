"""The client that openapi-generator generates."""

from openapi_client import ApiClient, ApprovalsApi, Configuration, SessionsApi
from openapi_client.exceptions import ApiException
from openapi_client.models import DecisionApprove, DecisionReject, DecisionShape, NewMessage, NewSession

from story import ADDRESS, TOKEN, WORKSPACE, play

DECISIONS = {"approve": DecisionApprove(decision="approve"), "reject": DecisionReject(decision="reject")}


class Client:
    def __init__(self):
        http = ApiClient(Configuration(host=ADDRESS, access_token=TOKEN))
        self.sessions, self.cards = SessionsApi(http), ApprovalsApi(http)

    def start(self, provider):
        body = NewSession(provider=provider, require_validation=True)
        return self.answer(self.sessions.start_chat_with_http_info, WORKSPACE, body)

    def send(self, session, text):
        return self.answer(self.sessions.send_message_with_http_info, WORKSPACE, session, NewMessage(text=text))

    def approvals(self):
        return self.answer(self.cards.list_approvals_with_http_info, WORKSPACE)

    def decide(self, approval, digest, decision):
        body = DecisionShape(DECISIONS[decision])
        return self.answer(self.cards.decide_approval_with_http_info, WORKSPACE, approval, f'"{digest}"', body)

    def messages(self, session, limit, after=None):
        return self.answer(self.sessions.list_messages_with_http_info, WORKSPACE, session, limit=limit, after=after)

    @staticmethod
    def after(page):
        return page.next

    @staticmethod
    def answer(ask, *arguments, **options):
        try:
            response = ask(*arguments, **options)
            return response.status_code, response.data
        except ApiException as refusal:
            return refusal.status, None


play(Client())
