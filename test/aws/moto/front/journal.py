"""Every request, as AWS's own models parse it, with what it was answered; and errors that tests ask for."""

import json
import time
from typing import Any

from moto.core.responses import BaseResponse

from state import LOCK, STATE


def record(service: str, action: str, params: Any, code: str | None, agent: str) -> None:
    with LOCK:
        STATE.journal.append(
            {
                "service": service,
                "action": action,
                "params": params,
                "error": code,
                "agent": agent,
                "time": time.time(),
            }
        )


def fault(service: str, action: str) -> dict[str, Any] | None:
    with LOCK:
        for entry in STATE.faults:
            if entry.get("service", service) == service and entry["action"] == action:
                entry["times"] = entry.get("times", 1) - 1
                if entry["times"] <= 0:
                    STATE.faults.remove(entry)
                return entry
    return None


def install() -> None:
    call_action = BaseResponse.call_action

    def journalled(self: BaseResponse) -> Any:
        service = str(self.boto3_service_name)
        action = self._get_action()
        asked = fault(service, action) if action else None
        if asked:
            status, headers, body = refusal(service, asked)
        else:
            status, headers, body = call_action(self)
        if action:
            agent = self.headers.get("user-agent", "")
            record(service, action, params_of(self), code_of(status, body), agent)
        return status, headers, body

    BaseResponse.call_action = journalled


def refusal(service: str, asked: dict[str, Any]) -> tuple[int, dict[str, str], str]:
    """In the form of the service's protocol."""
    status = asked.get("status", 400)
    code, message = asked["code"], asked.get("message", asked["code"])
    headers = {"status": str(status), "x-amzn-requestid": "fault", "x-amzn-errortype": code}
    error = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>"
    if service == "ec2":
        return status, headers, f"<Response><Errors>{error}</Errors><RequestID>fault</RequestID></Response>"
    if service == "iam":
        return status, headers, f"<ErrorResponse>{error}<RequestId>fault</RequestId></ErrorResponse>"
    return status, headers, json.dumps({"__type": code, "message": message})


def params_of(response: BaseResponse) -> Any:
    params = getattr(response, "params", None)
    if params:
        return json.loads(json.dumps(params, default=str))
    try:
        return json.loads(response.body)
    except (TypeError, ValueError):
        flat = {key: value[0] for key, value in response.querystring.items() if isinstance(value, list)}
        return {**flat, "path": response.path}


def code_of(status: Any, body: Any) -> str | None:
    if int(status) < 300:
        return None
    text = body.decode() if isinstance(body, bytes) else str(body)
    if "<Code>" in text:
        return text.split("<Code>")[1].split("</Code>")[0]
    try:
        return str(json.loads(text).get("__type", status)).split("#")[-1]
    except ValueError:
        return str(status)
