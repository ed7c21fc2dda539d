import HTTPTypes
import NIOCore
import SternaCore
public import SternaPlatform

/// The server's response to a complete upload: its status, the fields that describe the result, and a short body.
public struct TransferResponse: Sendable, Hashable, Codable {
    /// The status code.
    public let status: Int

    /// The fields `Location`, `Content-Location`, `Content-Type`, `ETag` and `Last-Modified`, as pairs of name and value; values of
    /// more than 4,096 bytes are left out.
    public let headers: [[String]]

    /// The content; nil if it has more than 64 KiB, or did not arrive completely within 10 s.
    public let body: Data?

    /// The limit on ``body``, in bytes.
    static let longestBody = 64 << 10

    /// The fields that are stored. Others may be secrets, such as cookies.
    private static let kept = ["Location", "Content-Location", "Content-Type", "ETag", "Last-Modified"]

    /// - Parameters:
    ///   - secrets: the secrets to remove where the server repeats them.
    ///   - isUploadURL: returns whether a `Location` is the URL of the upload itself, which can act as a credential.
    init(
        _ response: Response, hiding secrets: SentSecrets = SentSecrets(),
        isUploadURL: (String) -> Bool = { _ in false }
    ) {
        status = response.status.code
        headers = Self.kept.flatMap { name in
            response.section[values: name].filter { $0.utf8.count <= 4_096 && !(name == "Location" && isUploadURL($0)) }
                .map { [name, secrets.hidden(in: $0)] }
        }
        body = response.body.whole.flatMap { bytes in
            bytes.readableBytes <= Self.longestBody
                ? secrets.hidden(in: bytes.withUnsafeReadableBytes { Data($0) }) : nil
        }
    }

    /// Returns the first value of a field by its name in any case; nil without the field.
    public subscript(name: String) -> String? {
        headers.first { $0.count == 2 && $0[0].lowercased() == name.lowercased() }?[1]
    }
}
