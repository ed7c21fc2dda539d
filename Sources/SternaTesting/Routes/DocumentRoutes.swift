import Crypto
import NIOCore

extension BuiltInRoutes {
    static let documents: [ServerRoute] = [
        now(["GET"], "/image/png") { _ in .bytes(TestImage.png, mediaType: "image/png") },
        now(["GET"], "/robots.txt") { _ in .text("User-agent: *\nDisallow: /deny\n", mediaType: "text/plain") },
        now(["GET"], "/html") { _ in
            .text(
                """
                <!DOCTYPE html>
                <html lang="en">
                <head><meta charset="utf-8"><title>Terns</title></head>
                <body><h1>Terns</h1><p>Arctic terns see two summers a year.</p></body>
                </html>

                """, mediaType: "text/html; charset=utf-8")
        },
        now(["GET"], "/xml") { _ in
            .text(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <flock place="Spitsbergen">
                  <!-- counted in July -->
                  <bird ring="A1"><name>Arctic tern</name><count>12</count></bird>
                  <bird ring="B2"><name>Sooty tern &amp; others</name><count>3</count></bird>
                </flock>

                """, mediaType: "application/xml")
        },
        now(["GET"], "/plist") { _ in
            .text(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                    <key>name</key><string>Arctic tern</string>
                    <key>count</key><integer>12</integer>
                    <key>weight</key><real>0.104</real>
                    <key>migratory</key><true/>
                    <key>places</key><array><string>Svalbard</string><string>Weddell Sea</string></array>
                    <key>seen</key><date>2024-07-01T12:00:00Z</date>
                    <key>ring</key><data>3q2+7w==</data>
                </dict>
                </plist>

                """, mediaType: "application/x-plist")
        },
        now(["GET"], "/json") { _ in
            pretty([
                (
                    "flock",
                    .object([
                        ("place", .string("Spitsbergen")), ("count", .int(15)), ("counted", .bool(true)),
                        (
                            "birds",
                            .array([
                                .object([("name", .string("Arctic tern")), ("ring", .string("A1"))]),
                                .object([("name", .string("Sooty tern")), ("ring", .null)]),
                            ])
                        ),
                    ])
                )
            ])
        },
        now(["GET"], "/encoding/utf8") { _ in
            .text(
                """
                Küstenseeschwalbe (German), rödnäbbad tärna (Swedish), Sterne arctique (French)
                полярная крачка (Russian), キョクアジサシ (Japanese), 北极燕鸥 (Chinese), 극제비갈매기 (Korean)
                الخرشنة القطبية (Arabic), שחפית צפונית (Hebrew), ध्रुवीय कुररी (Hindi)
                e\u{301} and \u{E9}, 🐦 and 👩‍👩‍👧‍👦, ∀x∈ℝ: ⌈x⌉ = −⌊−x⌋

                """, mediaType: "text/html; charset=utf-8")
        },
    ]

    static let compression: [ServerRoute] = [
        now(["GET"], "/gzip") { request in
            coded(request, member: "gzipped", coding: "gzip", StoredDeflate.gzip)
        },
        now(["GET"], "/deflate") { request in
            let raw = request.query("raw") == "1"
            return coded(
                request, member: "deflated", coding: "deflate", raw ? StoredDeflate.raw : StoredDeflate.zlib)
        },
    ]

    private static func coded(
        _ request: ServerRequest, member: String, coding: String, _ encode: ([UInt8]) -> [UInt8]
    ) -> ServerResponse {
        let text = EchoJSON.object([
            (member, .bool(true)), ("headers", headers(request)), ("method", .string(request.method)),
            ("origin", .string(request.remoteAddress)),
        ]).text(pretty: true)
        return .bytes(
            encode(Array(text.utf8)), mediaType: "application/json",
            headers: ["Content-Encoding": coding, "Vary": "Accept-Encoding"])
    }

    static let uploads: [ServerRoute] = [
        later(["POST", "PUT", "PATCH"], "/upload") { request in
            var digest = SHA256()
            var count = 0
            while let buffer = try await request.body.nextBuffer() {
                count += buffer.readableBytes
                // The digest reads the bytes within the call and keeps no pointer.
                buffer.withUnsafeReadableBytes { digest.update(bufferPointer: $0) }
            }
            return pretty([("bytes", .int(count)), ("sha256", .string(ASCIIText.hex(digest.finalize())))])
        }
    ]
}
