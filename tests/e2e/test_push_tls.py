"""A push over TLS: a certificate that nobody vouches for ends it before anything is sent, one that is vouched for does not."""

import shutil
import ssl
import subprocess

import pytest

import pushed_server
from pushed_server import TOKEN, Server, serving

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="there is no openssl to make a certificate with"
)


@pytest.fixture
def certificate(tmp_path):
    """A certificate for localhost that signed itself, with its key."""
    key, signed = tmp_path / "key.pem", tmp_path / "signed.pem"
    words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    words += [
        "-keyout",
        str(key),
        "-out",
        str(signed),
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=DNS:localhost",
    ]
    subprocess.run(["openssl", *words], check=True, capture_output=True)
    return key, signed


@pytest.fixture
def server(certificate, monkeypatch):
    key, signed = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(signed, key)
    taken = pushed_server._Listening.get_request

    def secured(self):
        connection, where = taken(self)
        return context.wrap_socket(connection, server_side=True), where

    monkeypatch.setattr(pushed_server._Listening, "get_request", secured)
    with serving(Server()) as kept:
        yield kept


def test_only_a_certificate_that_someone_vouches_for_is_trusted(scova, server, certificate, project, monkeypatch):
    monkeypatch.setenv("SCOVA_TOKEN", TOKEN)
    words = ["push", project, "--server", f"https://localhost:{server.port}", "--project", "p"]
    refused = scova(*words)
    assert refused.code == 2
    assert "certificate" in refused.err
    assert "SSL_CERT_FILE" in refused.err
    assert not server.log
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[1]))
    assert scova(*words).code == 0
    assert {asked.token for asked in server.log} == {TOKEN}
    elsewhere = scova("push", project, "--server", f"https://127.0.0.1:{server.port}", "--project", "p")
    assert elsewhere.code == 2
    assert "certificate" in elsewhere.err
