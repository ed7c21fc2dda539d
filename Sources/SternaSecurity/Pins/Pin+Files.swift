import Crypto
public import SternaCore
import SternaPlatform
import SwiftASN1

extension Pin {
    /// Pins the certificates of a file in PEM or DER, or of all files of a folder with the extensions `.cer`, `.crt`, `.der` and
    /// `.pem`, as AFNetworking does for bundles, or with OpenSSL's names of eight digits.
    ///
    /// Throws `certificateRejected` if there are none.
    public static func certificates(at path: some FileReference) throws(SternaError) -> Set<Pin> {
        let path = try path.filePath()
        let found = isFolder(path) ? try inFolder(path) : try CertificateFiles.load(path)
        return Set(found.map { Pin(subject: .certificate($0)) })
    }

    /// Pins the keys of a file in PEM or DER, of its certificates or of a single public key; or those of all certificates of a
    /// folder, whose files ``certificates(at:)`` lists.
    ///
    /// Throws `certificateRejected` if there are none.
    public static func publicKeys(at path: some FileReference) throws(SternaError) -> Set<Pin> {
        let file = try path.filePath()
        if isFolder(file) {
            return Set(try inFolder(file).compactMap { RawCertificate($0).map { Pin(keyHash: $0.keyHash) } })
        }
        let bytes = try CertificateFiles.read(file, what: "The keys")
        let certificates = CertificateFiles.certificates(in: bytes).certificates.compactMap(RawCertificate.init)
        if !certificates.isEmpty { return Set(certificates.map { Pin(keyHash: $0.keyHash) }) }
        let document = try? PEMDocument(pemString: String(decoding: bytes, as: UTF8.self))
        let key = document.flatMap { $0.discriminator == "PUBLIC KEY" ? $0.derBytes : nil } ?? bytes
        guard isSubjectPublicKeyInfo(key) else {
            throw CertificateFiles.unreadable("“\(FieldSyntax.printable(file))”, and no public key either")
        }
        return [Pin(keyHash: Array(SHA256.hash(data: key)))]
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func inFolder(_ folder: String) throws(SternaError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for file in CertificateFiles.files(inFolder: folder) {
            found +=
                CertificateFiles.certificates(in: try CertificateFiles.read(file, what: "The certificates"))
                .certificates
        }
        guard !found.isEmpty else { throw CertificateFiles.unreadable("the folder “\(FieldSyntax.printable(folder))”") }
        return found
    }

    private static func isSubjectPublicKeyInfo(_ der: [UInt8]) -> Bool {
        guard let node = try? DER.parse(der), case .constructed(let parts) = node.content else { return false }
        let kinds = parts.prefix(3).map(\.identifier)
        return kinds == [.sequence, .bitString]
    }
}
