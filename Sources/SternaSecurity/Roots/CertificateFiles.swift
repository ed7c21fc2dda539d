import SternaCore
import SternaPlatform
import SwiftASN1

/// Reads certificates from files and folders, in PEM or DER.
enum CertificateFiles {
    /// The file name extensions of certificates; OpenSSL's folders also have names of eight digits and a number.
    static let extensions: Set<String> = ["pem", "crt", "cer", "der"]

    /// The maximum size of a file in bytes, above the size of every certificate store.
    static let maximumBytes = 64 << 20

    /// Returns the bytes of a file; throws `certificateRejected` with its name.
    static func read(_ path: String, what: String) throws(SternaError) -> [UInt8] {
        let content: Bytes?
        do throws(SternaError) {
            content = try FileRange(wholeFile: path).content(upTo: maximumBytes)
        } catch {
            throw SternaError(
                .certificateRejected, phase: .prepare,
                "\(what) in “\(FieldSyntax.printable(path))” cannot be read: \(error.underlying.map { "\($0)" } ?? "").",
                underlying: error.underlying)
        }
        guard let content else {
            throw SternaError(
                .certificateRejected, phase: .prepare,
                "\(what) in “\(FieldSyntax.printable(path))” are larger than \(maximumBytes >> 20) MiB.")
        }
        return content.array
    }

    /// Returns the certificates of a file's content, each in DER, and the number of unreadable ones; a file in DER has one.
    static func certificates(in bytes: [UInt8]) -> (certificates: [[UInt8]], unreadable: Int) {
        if bytes.first == 0x30 {
            return RawCertificate(bytes) == nil ? ([], 1) : ([bytes], 0)
        }
        var certificates: [[UInt8]] = []
        var unreadable = 0
        for block in PEMBlocks.certificates(in: String(decoding: bytes, as: UTF8.self)) {
            if let document = try? PEMDocument(pemString: block), RawCertificate(document.derBytes) != nil {
                certificates.append(document.derBytes)
            } else {
                unreadable += 1
            }
        }
        return (certificates, unreadable)
    }

    /// Returns the certificate files of a folder, sorted by name; empty if the folder does not exist.
    static func files(inFolder folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter(isCertificateFile).sorted().prefix(10_000).map { "\(folder)/\($0)" }
    }

    private static func isCertificateFile(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return false }
        let ending = name[name.index(after: dot)...]
        if extensions.contains(ending.lowercased()) { return true }
        return dot.utf16Offset(in: name) == 8 && !ending.isEmpty && ending.allSatisfy(\.isNumber)
            && name[..<dot].allSatisfy(\.isHexDigit)
    }

    /// Returns the certificates of a file, at least one.
    static func load(_ path: String) throws(SternaError) -> [[UInt8]] {
        let found = certificates(in: try read(path, what: "The certificates")).certificates
        guard !found.isEmpty else { throw unreadable("“\(FieldSyntax.printable(path))”") }
        return found
    }

    static func unreadable(_ what: String) -> SternaError {
        SternaError(
            .certificateRejected, phase: .prepare,
            "There is no certificate in \(what): neither PEM nor DER."
        )
    }
}

/// Splits a text in PEM into its certificates.
enum PEMBlocks {
    static let begin = "-----BEGIN CERTIFICATE-----"
    static let end = "-----END CERTIFICATE-----"

    static func certificates(in text: String) -> [String] {
        var blocks: [String] = []
        var lines: [Substring]?
        for line in text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) {
            if line.hasPrefix(begin) {
                lines = [Substring(begin)]
            } else if line.hasPrefix(end), let block = lines {
                blocks.append((block + [Substring(end)]).joined(separator: "\n"))
                lines = nil
            } else {
                lines?.append(line)
            }
        }
        return blocks
    }
}
