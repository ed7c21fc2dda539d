import Sterna
import SternaPlatform
import Testing

@testable import SternaTestSupport

/// Identities in the forms in which OpenSSL writes them.
@Suite("Interop: files of identities", .timeLimit(.minutes(5)), .enabled("openssl is not there") { OpenSSL.isThere() })
struct IdentityFileTests {
    /// Two keys with their certificates, in a folder.
    private func withFiles(_ work: (String) async throws -> Void) async throws {
        try await OpenSSL.withFolder { folder in
            for name in ["one", "two"] {
                try await OpenSSL.run(
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=\(name)", "-keyout", "\(folder)/\(name).key", "-out", "\(folder)/\(name).pem")
            }
            try await work(folder)
        }
    }

    private func refusal(_ file: String, _ key: String? = nil, _ password: String? = nil) -> String {
        let error = #expect(throws: SternaError.self) {
            try ClientIdentity(certificateFile: file, keyFile: key, password: password)
        }
        expectEqual(error?.kind, .identityUnusable)
        return error?.detail ?? ""
    }

    @Test("Keys of every form, encrypted and not, beside the certificate and in one file with it")
    func keys() async throws {
        try await withFiles { folder in
            let (certificate, key) = ("\(folder)/one.pem", "\(folder)/one.key")
            let plain = try ClientIdentity(certificateFile: certificate, keyFile: key)
            expectEqual(plain.certificate?.subject, "CN=one")
            try await OpenSSL.run("ec", "-in", key, "-out", "\(folder)/sec1.key")
            try await OpenSSL.run("ec", "-in", key, "-outform", "DER", "-out", "\(folder)/sec1.der")
            try await OpenSSL.run(
                "pkcs8", "-topk8", "-nocrypt", "-in", key, "-outform", "DER", "-out", "\(folder)/pkcs8.der")
            try await OpenSSL.run("x509", "-in", certificate, "-outform", "DER", "-out", "\(folder)/one.der")
            for form in ["sec1.key", "sec1.der", "pkcs8.der"] {
                try expectEqual(
                    ClientIdentity(certificateFile: certificate, keyFile: "\(folder)/\(form)"), plain, "\(form)")
            }
            try expectEqual(ClientIdentity(certificateFile: "\(folder)/one.der", keyFile: key), plain)
            let both =
                try String(contentsOfFile: key, encoding: .utf8) + String(contentsOfFile: certificate, encoding: .utf8)
            try Data(both.utf8).write(to: URL(filePath: "\(folder)/both.pem"))
            try expectEqual(ClientIdentity(certificateFile: "\(folder)/both.pem"), plain)
            for (name, password, options) in [
                ("aes", "päss", ["pkcs8", "-topk8", "-v2", "aes-256-cbc"]),
                ("aes-der", "päss", ["pkcs8", "-topk8", "-outform", "DER", "-v2", "aes-256-cbc"]),
                ("des", "pass", ["pkcs8", "-topk8", "-v1", "PBE-SHA1-3DES"]),
                ("des-der", "pass", ["pkcs8", "-topk8", "-outform", "DER", "-v1", "PBE-SHA1-3DES"]),
                ("old", "pass", ["ec", "-aes128"]),
            ] {
                let file = "\(folder)/\(name).key"
                _ = try await ChildProcess.run(
                    [OpenSSL.program ?? ""] + options + ["-in", key, "-out", file, "-passout", "pass:\(password)"],
                    input: [])
                try expectEqual(
                    ClientIdentity(certificateFile: certificate, keyFile: file, password: password), plain,
                    "\(name)")
                #expect(refusal(certificate, file, "wrong").contains("password is wrong"), "\(name)")
                #expect(refusal(certificate, file).contains("password is needed"), "\(name)")
                // The TLS library ends the process for a password outside ASCII.
                if !name.hasPrefix("aes") {
                    #expect(refusal(certificate, file, "päss").contains("openssl pkcs8"), "\(name)")
                }
            }
            #expect(refusal(certificate, "\(folder)/two.key").contains("does not belong"))
        }
    }

    private func export(_ folder: String, _ name: String, _ arguments: String..., password: String = "secret")
        async throws -> String
    {
        let file = "\(folder)/\(name).p12"
        _ = try await ChildProcess.run(
            [OpenSSL.program ?? "", "pkcs12", "-export", "-out", file, "-passout", "pass:\(password)"] + arguments,
            input: [])
        return file
    }

    @Test("PKCS #12: the client's own certificate first, whatever the order; as OpenSSL 3 encrypts it, and not at all")
    func containers() async throws {
        try await withFiles { folder in
            let plain = try ClientIdentity(certificateFile: "\(folder)/one.pem", keyFile: "\(folder)/one.key")
            let key = ["-inkey", "\(folder)/one.key", "-in", "\(folder)/one.pem"]
            let normal = try await export(folder, "normal", key[0], key[1], key[2], key[3])
            try expectEqual(ClientIdentity(certificateFile: normal, password: "secret"), plain)
            let chain = try await export(
                folder, "chain", key[0], key[1], key[2], key[3], "-certfile", "\(folder)/two.pem", "-name", "ä")
            let identity = try ClientIdentity(certificateFile: chain, password: "secret")
            expectEqual(identity.certificates.count, 2)
            expectEqual(identity.certificates.first, plain.certificates.first)
            let open = try await export(
                folder, "open", key[0], key[1], key[2], key[3], "-keypbe", "NONE", "-certpbe", "NONE")
            try expectEqual(ClientIdentity(certificateFile: open, password: "secret"), plain)
            let empty = try await export(folder, "empty", key[0], key[1], key[2], key[3], password: "")
            try expectEqual(ClientIdentity(certificateFile: empty), plain)
            #expect(refusal(normal, nil, "wrong").contains("password is wrong"))
            #expect(!refusal(normal).isEmpty)
        }
    }

    @Test("A wrong password is called that also when it leaves valid padding, as one in 256 does")
    func wrongPasswords() async throws {
        try await withFiles { folder in
            let file = try await export(
                folder, "fast", "-inkey", "\(folder)/one.key", "-in", "\(folder)/one.pem", "-iter", "1")
            let bytes = Array(try Data(contentsOf: URL(filePath: file)))
            let details = Set(
                (0..<2_000).map { number in
                    let error = #expect(throws: SternaError.self) {
                        try ClientIdentity(pkcs12: bytes, password: "wrong \(number)")
                    }
                    return error?.detail ?? ""
                })
            expectEqual(details.count, 1)
            expectEqual(details.first?.contains("password is wrong"), true)
        }
    }

    @Test("PKCS #12 without a key, without a certificate, and of two that do not belong together never end the process")
    func incomplete() async throws {
        try await withFiles { folder in
            let noKey = try await export(folder, "nokey", "-nokeys", "-in", "\(folder)/one.pem")
            #expect(refusal(noKey, nil, "secret").contains("no private key"))
            let noCertificate = try await export(
                folder, "nocert", "-nocerts", "-inkey", "\(folder)/one.key", "-in", "\(folder)/one.key")
            #expect(refusal(noCertificate, nil, "secret").contains("no certificate"))
            // OpenSSL itself refuses to write one with a key of another certificate beside it.
            let other = try await export(
                folder, "other", "-inkey", "\(folder)/two.key", "-in", "\(folder)/two.pem", "-certfile",
                "\(folder)/one.pem")
            try expectEqual(ClientIdentity(certificateFile: other, password: "secret").certificate?.subject, "CN=two")
        }
    }

    @Test("PKCS #12 cut short or changed anywhere is refused")
    func damaged() async throws {
        try await withFiles { folder in
            let file = try await export(
                folder, "whole", "-inkey", "\(folder)/one.key", "-in", "\(folder)/one.pem", "-iter", "1", "-keypbe",
                "NONE",
                "-certpbe", "NONE", "-nomac")
            let whole = Array(try Data(contentsOf: URL(filePath: file)))
            #expect(throws: Never.self) { try ClientIdentity(pkcs12: whole, password: "secret") }
            for count in stride(from: 0, to: whole.count, by: 3) {
                #expect(throws: SternaError.self) {
                    try ClientIdentity(pkcs12: Array(whole[..<count]), password: "secret")
                }
            }
            var generator = SystemRandomNumberGenerator()
            for _ in 0..<500 {
                var changed = whole
                changed[.random(in: 0..<whole.count, using: &generator)] ^= .random(in: 1...255, using: &generator)
                _ = try? ClientIdentity(pkcs12: changed, password: "secret")
            }
        }
    }

    @Test("PKCS #12 by the methods of the nineties is read too, without the trap that the TLS library's reader has")
    func old() async throws {
        try await withFiles { folder in
            let plain = try ClientIdentity(certificateFile: "\(folder)/one.pem", keyFile: "\(folder)/one.key")
            for (name, key, certificate) in [
                ("des", "PBE-SHA1-3DES", "PBE-SHA1-3DES"),
                ("rc2", "PBE-SHA1-3DES", "PBE-SHA1-RC2-40"), ("mixed", "AES-256-CBC", "PBE-SHA1-3DES"),
            ] {
                let file = try await export(
                    folder, name, "-inkey", "\(folder)/one.key", "-in", "\(folder)/one.pem", "-certfile",
                    "\(folder)/two.pem", "-keypbe", key, "-certpbe", certificate, "-macalg", "sha1", "-legacy")
                let own = try ClientIdentity(certificateFile: file, password: "secret")
                expectEqual(own.certificates.count, 2)
                expectEqual(own.certificates.first, plain.certificates.first)
                #expect(!refusal(file, nil, "wrong").isEmpty)
            }
            let noKey = try await export(
                folder, "nokey", "-nokeys", "-in", "\(folder)/one.pem", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1")
            #expect(refusal(noKey, nil, "secret").contains("no private key"))
        }
    }

    @Test("RSA keys, and an old container whose certificates are another key's")
    func oldRSA() async throws {
        try await OpenSSL.withFolder { folder in
            for name in ["one", "two"] {
                try await OpenSSL.run(
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=\(name)", "-keyout",
                    "\(folder)/\(name).key", "-out", "\(folder)/\(name).pem")
            }
            let file = try await export(
                folder, "old", "-inkey", "\(folder)/one.key", "-in", "\(folder)/one.pem", "-keypbe", "PBE-SHA1-3DES",
                "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1")
            try expectEqual(ClientIdentity(certificateFile: file, password: "secret").certificate?.subject, "CN=one")
            // A key alone, encrypted in the old way, and nothing that fits it: what ends the process in the library.
            let alone = try await export(
                folder, "alone", "-nocerts", "-inkey", "\(folder)/one.key", "-in", "\(folder)/one.key", "-keypbe",
                "PBE-SHA1-3DES", "-macalg", "sha1")
            #expect(refusal(alone, nil, "secret").contains("no certificate"))
        }
    }
}
