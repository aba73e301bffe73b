#!/usr/bin/env python3
"""An MCP server over stdin and stdout that calls HTTP services. It needs only Python's standard library."""
import json
import sys
import urllib.error
import urllib.request

LONGEST_BODY = 1_000_000
SECONDS = 60

TOOL = {
    "name": "custom_api_call",
    "description": "Call an HTTP service and return its answer.\n"
    "Data goes as JSON with POST and PUT; a text goes as it is.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "endpoint": {"type": "string", "pattern": "^https?://", "description": "Address of the service."},
            "method": {
                "type": "string",
                "enum": ["GET", "POST", "PUT", "DELETE"],
                "default": "GET",
                "description": "HTTP method.",
            },
            "data": {"description": "What to send."},
        },
        "required": ["endpoint"],
        "additionalProperties": False,
    },
}


def custom_api_call(endpoint, method="GET", data=None):
    headers = {}
    if data is not None:
        headers["Content-Type"] = "text/plain" if isinstance(data, str) else "application/json"
        data = (data if isinstance(data, str) else json.dumps(data)).encode()
    request = urllib.request.Request(endpoint, data=data, method=method, headers=headers)
    try:
        answer = urllib.request.urlopen(request, timeout=SECONDS)
    except urllib.error.HTTPError as error:
        answer = error  # an error status also has a body
    with answer:
        body = answer.read(LONGEST_BODY + 1)
        if len(body) > LONGEST_BODY:
            raise ValueError("The answer is longer than 1,000,000 bytes. Ask for less.")
        facts = {"status": answer.status, "contentType": answer.headers.get("Content-Type", "")}
    return {"content": [{"type": "text", "text": body.decode(errors="replace")}], "structuredContent": facts}


def answer(method, params):
    """Returns the result of a request, or None if the method is unknown."""
    if method == "initialize":
        return {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "custom_api_call_py", "version": "1.0.0"},
        }
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        try:
            return custom_api_call(**params.get("arguments") or {})
        except Exception as error:
            return {"content": [{"type": "text", "text": f"The call failed: {error}"}], "isError": True}
    return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request or "method" not in request:
        continue
    result = answer(request["method"], request.get("params") or {})
    response = {"jsonrpc": "2.0", "id": request["id"]}
    if result is None:
        response["error"] = {"code": -32601, "message": "Method not found"}
    else:
        response["result"] = result
    print(json.dumps(response), flush=True)
