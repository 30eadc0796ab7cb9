"""A server with the Alexa endpoint, asked a question over loopback as Alexa asks it; stays for the seconds it is told.

Run under the tracer as `python -m tests.traced.voice_session LIBRARY SECONDS`. The certificates are made here: those of
Alexa are Amazon's alone, and fetching them is what a voice is told to do.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import httpx2
import uvicorn

from smallprint.cli.serve import listening
from smallprint.settings import Settings
from smallprint.voice.endpoint import PATH, Certificates, Gate, alexa_router
from smallprint.web.app import application

from ..voice.making import CHAIN, NAME, NOW, SKILL, certificate, intent, pem, signed, written


def main(library: Path, seconds: float) -> None:
    """Ask one question, and print what Alexa would say."""
    root = certificate("Root", is_authority=True, ends=3650)
    amazon = certificate(NAME, issuer=root)
    certificates = Certificates({CHAIN: pem(amazon)}.__getitem__, [root.certificate], lambda: NOW)
    settings = Settings(library=library, alexa_skill_id=SKILL, alexa_seconds=7.5, serve_rate=0, serve_seconds=0)
    app = application(
        settings, routers=[alexa_router(settings, Gate(SKILL, certificates, lambda: NOW))], any_name=[PATH]
    )
    with listening("127.0.0.1", 0) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        body = written(intent("AskIntent", question="does kitegram sell my data"))
        headers = {"Content-Type": "application/json", "SignatureCertChainUrl": CHAIN}
        headers["Signature-256"] = signed(body, amazon)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}{PATH}"
        answer = httpx2.post(address, content=body, headers=headers, timeout=120, trust_env=False)
        print(answer.status_code, answer.text)
        time.sleep(seconds)
        server.should_exit = True
        thread.join()
    sys.exit(answer.status_code != httpx2.codes.OK)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
