import HTTPTypes
import NIOCore
import SternaCore
public import SternaPlatform

/// What the server has answered to an upload that is complete: its status, the fields that describe what came of it, and a short body.
public struct TransferAnswer: Sendable, Hashable, Codable {
    /// The status code.
    public let status: Int

    /// `Location`, `Content-Location`, `Content-Type`, `ETag` and `Last-Modified`, as pairs of name and value.
    public let headers: [[String]]

    /// The content of the answer; nil if it has more than 64 KiB, or did not arrive completely within 10 s.
    public let body: Data?

    /// The limit on ``body``, in bytes.
    static let longestBody = 64 << 10

    /// The fields that are kept. Others may be secrets, such as cookies.
    private static let kept = ["Location", "Content-Location", "Content-Type", "ETag", "Last-Modified"]

    /// - Parameters:
    ///   - secrets: what is left out where the server repeats it.
    ///   - isUploadURL: whether a Location is that of the upload itself, which can act as a credential.
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

    /// Returns the value of a field, whatever the case of its name; nil if it is not there.
    public subscript(name: String) -> String? {
        headers.first { $0.count == 2 && $0[0].lowercased() == name.lowercased() }?[1]
    }
}
