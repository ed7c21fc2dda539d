#!/usr/bin/env bash
# Package: aioquic 1.7.2 (QUIC and HTTP/3 for Python), client and server of it talking over a real loopback connection.
#
# The answer to HEAD carries the Content-Length that GET would have had, and no content (RFC 9110, 9.3.2 and 8.6); RFC 9114, 4.1.2,
# exempts such answers from the comparison of lengths. The same holds for 304.
# Expected: an HTTP/3 client that sent HEAD takes "200, content-length: 100, end of stream".
# Seen: aioquic's client compares all the same, gives the application no event at all, and closes the whole connection with
#   H3_MESSAGE_ERROR (0x10e), "content-length does not match data size". A 304 with a Content-Length has the same fate, so one
#   revalidation ends every other request on the connection. Without the Content-Length field both are fine.
# Why it matters: aioquic is what people test HTTP/3 with. A client library of one's own must remember the request's method per
# stream before it checks lengths, and must be ready for a peer that ends the connection, not the stream, over a correct answer.
# No such issue was found at aioquic; other HTTP/2 and HTTP/3 stacks had to learn the exemption as well.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q --no-compile --disable-pip-version-check aioquic==1.7.2
cd "$dir"
"$dir/venv/bin/python" - <<'PY'
import asyncio
import datetime
import importlib.metadata as metadata
import ssl

from aioquic.asyncio import QuicConnectionProtocol, connect, serve
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, ProtocolNegotiated
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

print("aioquic", metadata.version("aioquic"))
key = ec.generate_private_key(ec.SECP256R1())
name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
now = datetime.datetime.now(datetime.timezone.utc)
certificate = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
               .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
               .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False).sign(key, hashes.SHA256()))
with open("cert.pem", "wb") as file:
    file.write(certificate.public_bytes(serialization.Encoding.PEM))
with open("key.pem", "wb") as file:
    file.write(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))


class Server(QuicConnectionProtocol):
    http = None

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.http = H3Connection(self._quic)
        for h3 in self.http.handle_event(event) if self.http else []:
            if isinstance(h3, HeadersReceived):
                path = dict(h3.headers)[b":path"].decode()
                status, length = path.strip("/").split("-")
                fields = [(b":status", status.encode())] + ([(b"content-length", length.encode())] if length else [])
                self.http.send_headers(h3.stream_id, fields, end_stream=True)
                self.transmit()


class Client(QuicConnectionProtocol):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.http, self.done = H3Connection(self._quic), asyncio.get_running_loop().create_future()

    def quic_event_received(self, event):
        if isinstance(event, ConnectionTerminated) and not self.done.done():
            self.done.set_result(f"connection closed: {event.error_code:#x} {event.reason_phrase}")
        for h3 in self.http.handle_event(event):
            if isinstance(h3, HeadersReceived) and not self.done.done():
                self.done.set_result("answer: " + dict(h3.headers)[b":status"].decode())

    async def ask(self, method, path):
        stream = self._quic.get_next_available_stream_id()
        self.http.send_headers(stream, [(b":method", method), (b":scheme", b"https"), (b":authority", b"localhost"),
                                        (b":path", path)], end_stream=True)
        self.transmit()
        return await asyncio.wait_for(self.done, 10)


async def main():
    configuration = QuicConfiguration(is_client=False, alpn_protocols=["h3"])
    configuration.load_cert_chain("cert.pem", "key.pem")
    server = await serve("127.0.0.1", 0, configuration=configuration, create_protocol=Server)
    port = server._transport.get_extra_info("sockname")[1]
    seen = {}
    for method, path in ((b"HEAD", b"/200-"), (b"HEAD", b"/200-100"), (b"GET", b"/304-"), (b"GET", b"/304-100")):
        client = QuicConfiguration(is_client=True, alpn_protocols=["h3"], verify_mode=ssl.CERT_NONE, server_name="localhost")
        async with connect("127.0.0.1", port, configuration=client, create_protocol=Client) as connection:
            seen[method + path] = await connection.ask(method, path)
        print(f"{method.decode():5}{path.decode():10}{seen[method + path]}")
    server.close()
    assert seen[b"HEAD/200-"] == "answer: 200" and seen[b"GET/304-"] == "answer: 304", "the plain answers fail"
    for case in (b"HEAD/200-100", b"GET/304-100"):
        assert seen[case].startswith("connection closed: 0x10e"), "an answer with Content-Length is taken now"


asyncio.run(main())
PY
