#!/usr/bin/env bash
# Packages: hummingbird 2.28.1 (Swift, HummingbirdHTTP2) with swift-nio-ssl 2.37.6 as the server; h2 4.4.1 (Python) as the client. Needs
# swift, openssl and python3; the server takes minutes to build.
#
# A client may send PING at any time, and servers answer it (RFC 9113, 6.7). Clients use it to measure the round trip while a body
# arrives, as gRPC's and Go's do, about once for each round trip or second. Servers of gRPC forgive such PINGs: each frame of a
# response that they write resets the count of bad ones.
# Expected: Hummingbird, which took over gRPC's rules, takes one PING a second during a response that it is sending.
# Seen: in any 30 s one PING is good and each further one is bad; bad ones are counted over the whole life of the connection, and no
#   response ever resets the count. Three PINGs are answered; for the fourth the connection ends in the middle of the response, and the
#   GOAWAY (ENHANCE_YOUR_CALM, too_many_pings) that would say why does not arrive.
# Why it matters: a client that probes the path once a second loses every download that takes longer than three seconds, without a
#   reason to show. Probe seldom, and measure by the clock between the probes.
# The rules came with its pull request 601; nothing was found about what they do to a download.
set -euo pipefail
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q --no-compile --disable-pip-version-check h2==4.4.1
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -keyout "$dir/key.pem" -out "$dir/cert.pem" 2>/dev/null
mkdir -p "$dir/server/Sources/Slow"
cat >"$dir/server/Package.swift" <<'SWIFT'
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "slow", platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    ],
    targets: [
        .executableTarget(
            name: "Slow",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"), .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ])
    ])
SWIFT
cat >"$dir/server/Sources/Slow/Main.swift" <<'SWIFT'
import Hummingbird
import HummingbirdHTTP2
import HummingbirdTLS
import NIOSSL

@main
struct Main {
    static func main() async throws {
        let folder = CommandLine.arguments[2]
        let router = Router()
        // A kilobyte every tenth of a second, for ten seconds.
        router.get("/slow") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    for _ in 0..<100 {
                        try await writer.write(ByteBuffer(repeating: 46, count: 1_000))
                        try await Task.sleep(for: .milliseconds(100))
                    }
                    try await writer.finish(nil)
                })
        }
        let tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(folder + "/cert.pem").map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: folder + "/key.pem", format: .pem)))
        let app = Application(
            router: router, server: try .http2Upgrade(tlsConfiguration: tls),
            configuration: .init(address: .hostname("127.0.0.1", port: Int(CommandLine.arguments[1]) ?? 0)))
        try await app.runService()
    }
}
SWIFT
swift build --package-path "$dir/server" >"$dir/build.log" 2>&1 || { tail -20 "$dir/build.log"; exit 1; }
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$dir/server/.build/debug/Slow" "$port" "$dir" >"$dir/server.log" 2>&1 &
server=$!
"$dir/venv/bin/python" - "$port" <<'PY'
import socket
import ssl
import sys
import time

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import ConnectionTerminated, DataReceived, PingAckReceived, StreamEnded


def probe(interval):
    """Asks for the slow response with a PING every so many seconds: answers to them, bytes received, how it ended, and GOAWAY."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    for _ in range(100):
        try:
            wire = context.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5))
            break
        except OSError:
            time.sleep(0.1)
    client = H2Connection(H2Configuration())
    client.initiate_connection()
    client.send_headers(1, [(":method", "GET"), (":path", "/slow"), (":scheme", "https"), (":authority", "localhost")], end_stream=True)
    wire.sendall(client.data_to_send())
    wire.settimeout(0.05)
    answers, count, goaway, end, due = 0, 0, None, "cut", time.monotonic() + interval
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        if time.monotonic() >= due:
            due += interval
            client.ping(b"12345678")
            try:
                wire.sendall(client.data_to_send())
            except OSError:
                break
        try:
            read = wire.recv(65_536)
        except TimeoutError:
            continue
        except OSError:
            break
        if not read:
            break
        for event in client.receive_data(read):
            if isinstance(event, PingAckReceived):
                answers += 1
            elif isinstance(event, DataReceived):
                count += len(event.data)
                client.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, ConnectionTerminated):
                goaway = event.error_code
            elif isinstance(event, StreamEnded):
                end = "whole"
        if end == "whole":
            break
        if more := client.data_to_send():
            try:
                wire.sendall(more)
            except OSError:
                break
    return answers, count, end, goaway


rare = probe(4)
often = probe(1)
print("PINGs every 4 s, the response takes 10 s: answers, bytes, end, GOAWAY:", rare)
print("PINGs every second:", often)
assert rare == (2, 100_000, "whole", None), "a response with few PINGs no longer arrives"
answers, count, end, goaway = often
assert (answers, end, goaway) == (3, "cut", None), "the fourth PING is forgiven, or GOAWAY arrives"
assert 0 < count < 100_000
PY
