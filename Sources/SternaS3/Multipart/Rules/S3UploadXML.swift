import NIOCore
import Sterna

/// The documents of multipart uploads.
extension S3XML {
    /// The maximum size of a response that is read, in bytes.
    static let longestAnswer = 4 << 20

    private static var limits: S3Element.Limits {
        S3Element.Limits(depth: 8, bytes: longestAnswer, elements: 50_000)
    }

    /// A page of the parts that the server has (ListParts).
    struct PartPage: Sendable, Hashable {
        var parts: [S3Part] = []
        /// The number after which the next page begins; nil for the last page.
        var next: Int?
    }

    /// Returns the identifier of a new upload. Throws `decodingFailed` or `limitExceeded`.
    static func uploadID(_ bytes: Bytes) throws(SternaError) -> String {
        let root = try S3Element(parsing: bytes, limits: limits)
        guard root.localName == "InitiateMultipartUploadResult", let id = root["UploadId"]?.text, S3UploadState.isID(id)
        else { throw malformed("The response to the creation of a multipart upload has no UploadId") }
        return id
    }

    /// Returns a page of parts. Throws `decodingFailed` or `limitExceeded`.
    ///
    /// - Parameter checksum: the name of the element with a part's checksum.
    static func parts(_ bytes: Bytes, checksum: String? = nil) throws(SternaError) -> PartPage {
        let root = try S3Element(parsing: bytes, limits: limits)
        // Moto uses another name.
        guard root.localName == "ListPartsResult" || root.localName == "ListPartsResponse" else {
            throw malformed("The list of parts is not a ListPartsResult but “\(FieldSyntax.printable(root.localName))”")
        }
        var page = PartPage()
        for element in root.elements where element.localName == "Part" {
            guard let number = element["PartNumber"].flatMap({ self.number($0.text, below: 10_001) }), number > 0,
                let size = element["Size"].flatMap({ self.number($0.text, below: .max) })
            else { throw malformed("A part of the list has no PartNumber or Size") }
            // A part without a usable tag cannot be joined; it is sent again.
            guard let tag = element["ETag"]?.text, S3Part.isEntityTag(tag) else { continue }
            var part = S3Part(number: Int(number), entityTag: tag, size: size)
            if let checksum, let text = element[checksum]?.text, isChecksum(text) { part.checksum = text }
            page.parts.append(part)
        }
        switch root["IsTruncated"]?.text {
        case "true":
            guard let next = root["NextPartNumberMarker"].flatMap({ number($0.text, below: 10_001) }) else {
                throw malformed("The list of parts continues, but has no NextPartNumberMarker")
            }
            page.next = Int(next)
        case "false", nil: break
        default: throw malformed("The list of parts does not say whether it IsTruncated")
        }
        return page
    }

    private static func isChecksum(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || "+/=-".utf8.contains($0)
            }
    }

    private static func number(_ text: String, below limit: Int64) -> Int64? {
        guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(text), number < limit
        else { return nil }
        return number
    }

    /// The outcome of a completion. The server sends the status before it has joined the parts.
    enum Completion: Sendable, Hashable {
        case complete
        case error(S3Error)
        /// The response ended early, or has other content.
        case unclear
    }

    /// Returns the outcome in the response to a completion. White space before the document keeps the connection alive.
    static func completion(_ bytes: Bytes) -> Completion {
        var bytes = bytes
        while let byte = bytes.readInteger(as: UInt8.self) {
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else {
                bytes.moveReaderIndex(to: bytes.readerIndex - 1)
                break
            }
        }
        if let error = error(bytes) { return .error(error) }
        guard let root = try? S3Element(parsing: bytes, limits: limits),
            root.localName == "CompleteMultipartUploadResult"
        else { return .unclear }
        return .complete
    }

    /// Returns the list of the parts to join, in order. Tags and checksums need no escapes in XML except for quotation marks.
    static func completion(of parts: [S3Part], checksum: String?) -> String {
        var text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        for part in parts {
            text +=
                "<Part><PartNumber>\(part.number)</PartNumber><ETag>\(part.entityTag.replacing("\"", with: "&quot;"))</ETag>"
            if let checksum, let value = part.checksum { text += "<\(checksum)>\(value)</\(checksum)>" }
            text += "</Part>"
        }
        return text + "</CompleteMultipartUpload>"
    }
}
